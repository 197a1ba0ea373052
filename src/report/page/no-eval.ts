/** Imported before all else: the page's policy forbids code made of text, and zod would otherwise try it, which browsers report. */

import { config } from "zod";

config({ jitless: true });
