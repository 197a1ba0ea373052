/** Every auction held in the same markets, all workers telling the truth. */

import { type AnyMechanism, hold } from "../../../src/mechanisms/mechanism.js";
import { type PublisherAccount, publisherAccount } from "../../../src/mechanisms/outcome.js";
import type { Pool } from "../../../src/study/analysis.js";
import { listing, type WorkContext } from "../../../src/study/job.js";
import { type Ledgers, marketAt, type Setting } from "./accounts.js";
import { variantsOf } from "./variants.js";

/** All that are compared, and the variants tried in their places. */
const auctionsIn = ({ mechanism, mechanisms }: WorkContext): AnyMechanism[] => [
  ...mechanisms,
  ...variantsOf(mechanism, mechanisms).map((variant) => variant.mechanism),
];

/** Of every market, the account of every auction. */
export const ledgerJob = listing<Setting, PublisherAccount[]>(
  (setting, k, context) => {
    const market = marketAt(setting, k, context.stream);
    return auctionsIn(context).map((auction) => publisherAccount(market.workers, hold(auction, market)));
  },
  ({ workers }) => 1 + 0.04 * workers,
);

/** The ledgers of every setting, each with so many markets. */
export async function ledgersAt(
  settings: readonly Setting[],
  markets: number,
  context: WorkContext & { readonly pool: Pool },
): Promise<Ledgers[]> {
  const cells = settings.map(({ workers, budget }) => ({ cell: { workers, budget }, markets }));
  const accounts = await context.pool.gather(ledgerJob, cells);
  const names = auctionsIn(context).map(({ name }) => name);
  return accounts.map(
    (rows) => new Map(names.map((name, column) => [name, (rows ?? []).map((row) => row[column]!)])),
  );
}
