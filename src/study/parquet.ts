/** What Parquet files are written with. `npm run build` bundles it, so that no package is installed for it. */

export { ByteWriter, ParquetWriter } from "hyparquet-writer";
