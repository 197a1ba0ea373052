/** The controls of the bench: they show what is on it, and change the page's address. */

import { amountText } from "../../cells.js";
import { element, find } from "../dom.js";
import { fields, go, setFields } from "../hash.js";
import { gainsOf } from "./gains.js";
import type { Landscape } from "./landscape.js";
import { type Bench, DRAWN, drawFields, type Get } from "./state.js";

const bench = find(".bench");

export const control = <Kind extends HTMLElement = HTMLInputElement>(name: string): Kind =>
  find<Kind>(`[name="${name}"]`, bench);

/** From the address; an address with something to draw means a drawn market. */
export const read: Get = (name) => {
  const said = fields();
  const value = said.get(name);
  if (value !== null) return value;
  if (name === "exhibit") return drawFields.some((field) => said.has(field)) ? DRAWN : "";
  return drawFields.some((field) => field === name) ? control(name).dataset.draw! : "";
};

const nobody = { worker: null, price: null, arrival: null };

/** `change` is called after the address has changed. */
export function listen(change: () => void): void {
  const exhibit = control("exhibit");
  exhibit.addEventListener("change", () =>
    go({ ...nobody, ...nothingDrawn(), exhibit: exhibit.value, at: null }),
  );
  for (const name of drawFields)
    control(name).addEventListener("change", () =>
      go({ ...nobody, exhibit: DRAWN, [name]: control(name).value, at: null }),
    );
  control("auction").addEventListener("change", () => go({ auction: control("auction").value, at: null }));
  control("worker").addEventListener("change", () =>
    go({ ...nobody, worker: control("worker").value, at: null }),
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

const nothingDrawn = (): Record<string, null> => Object.fromEntries(drawFields.map((name) => [name, null]));

/** Shows the market and its workers. */
export function showMarket({ market, exhibit, mechanism, worker }: Bench): void {
  const picked = control<HTMLSelectElement>("exhibit");
  picked.value = exhibit ? pathOf(picked, exhibit.title, read("exhibit")) : DRAWN;
  for (const name of drawFields) {
    control(name).value = read(name);
    control(name).closest("label")!.hidden = exhibit !== null;
  }
  control<HTMLSelectElement>("auction").value = mechanism.name;
  const gains = gainsOf(market, mechanism);
  const options = market.workers.map(({ id, reputation, cost, arrival }) => {
    const type = `reputation ${amountText(reputation)}, cost ${amountText(cost)}, arrival ${arrival}`;
    const gain = gains.get(id) ?? 0;
    const can = gain > 0 ? ` – can gain ${amountText(gain)}` : "";
    return element("option", { value: String(id) }, `${id}: ${type}${can}`);
  });
  control<HTMLSelectElement>("worker").replaceChildren(...options);
  control("worker").value = String(worker.id);
}

/** The address's own words, or the option with the exhibit's title where the address says nothing. */
const pathOf = (picked: HTMLSelectElement, title: string, said: string): string =>
  said !== "" ? said : ([...picked.options].find(({ text }) => text === title)?.value ?? "");

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
  control<HTMLOutputElement>("arrival-text").value = `${bid.arrival} (truly ${worker.arrival})`;
}
