/** The controls of the bench: they show what is on it, and change the page's address. */

import { amountText } from "../../cells.js";
import { element, find } from "../dom.js";
import { fields, go, setFields } from "../hash.js";
import type { Landscape } from "./landscape.js";
import type { Bench, Get } from "./state.js";

const bench = find("#bench");

export const control = <Kind extends HTMLElement = HTMLInputElement>(name: string): Kind =>
  find<Kind>(`[name="${name}"]`, bench);

const MARKET = ["exhibit", "workers", "budget", "rounds", "ratio", "minimum", "seed", "under"];

/** From the address, or else as the form was made. */
export const read: Get = (name) => {
  const said = fields().get(name);
  if (said !== null) return said;
  const made = bench.querySelector<HTMLInputElement | HTMLSelectElement>(
    `.bench-market [name="${name}"][data-draw]`,
  );
  return made instanceof HTMLSelectElement ? "prose" : (made?.defaultValue ?? "");
};

/** `change` is called after the address has changed. */
export function listen(change: () => void): void {
  const forget = { worker: null, price: null, arrival: null };
  for (const name of MARKET)
    control(name).addEventListener("change", () => {
      const auction = name === "exhibit" ? { auction: null } : {};
      go({ ...forget, ...auction, [name]: control(name).value, at: null });
    });
  control("auction").addEventListener("change", () => go({ auction: control("auction").value, at: null }));
  control("worker").addEventListener("change", () =>
    go({ ...forget, worker: control("worker").value, at: null }),
  );
  const say = (name: string, from: string) =>
    control(from).addEventListener("input", () => {
      setFields({ [name]: control(from).value, at: null });
      change();
    });
  say("price", "price");
  say("price", "price-exact");
  say("arrival", "arrival");
  find("form", bench).addEventListener("submit", (event) => event.preventDefault());
}

/** Shows the market and its workers. */
export function showMarket({ market, exhibit, mechanism, worker }: Bench): void {
  control("exhibit").value = exhibit ? read("exhibit") : "";
  for (const name of MARKET.slice(1)) {
    control(name).value = read(name);
    control(name).closest("label")!.hidden = exhibit !== null;
  }
  control<HTMLSelectElement>("auction").value = mechanism.name;
  const options = market.workers.map(({ id, reputation, cost, arrival }) => {
    const type = `reputation ${amountText(reputation)}, cost ${amountText(cost)}, arrival ${arrival}`;
    return element("option", { value: String(id) }, `${id} (${type})`);
  });
  control<HTMLSelectElement>("worker").replaceChildren(...options);
  control("worker").value = String(worker.id);
}

/** Shows the bid, and how far it can go. */
export function showBid({ market, worker, bid }: Bench, { priceLimit }: Landscape): void {
  const [price, exact, arrival] = [control("price"), control("price-exact"), control("arrival")];
  price.max = String(Math.max(priceLimit, bid.price));
  price.value = String(bid.price);
  if (document.activeElement !== exact) exact.value = String(bid.price);
  arrival.min = String(worker.arrival);
  arrival.max = String(market.rules.rounds);
  arrival.disabled = worker.arrival === market.rules.rounds;
  arrival.value = String(bid.arrival);
  control<HTMLOutputElement>("price-text").value =
    `${amountText(bid.price)} (cost ${amountText(worker.cost)})`;
  control<HTMLOutputElement>("arrival-text").value = `${bid.arrival} (true arrival ${worker.arrival})`;
}
