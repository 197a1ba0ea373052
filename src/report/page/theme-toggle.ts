/** Light or dark: as the system says, until the reader says otherwise. */

import { type Theme, type ThemeName, themes } from "../theme.js";
import { find } from "./dom.js";

const system = matchMedia("(prefers-color-scheme: dark)");
const listeners: (() => void)[] = [];
let wanted: ThemeName | null = null;
let printing = false;

const themeName = (): ThemeName => (printing ? "light" : (wanted ?? (system.matches ? "dark" : "light")));

export const theme = (): Theme => themes[themeName()];

export function onTheme(listener: () => void): void {
  listeners.push(listener);
}

export function watchTheme(): void {
  const button = find<HTMLButtonElement>("#theme");
  button.addEventListener("click", () => {
    wanted = themeName() === "dark" ? "light" : "dark";
    apply(button);
  });
  system.addEventListener("change", () => apply(button));
  for (const [event, begins] of [
    ["beforeprint", true],
    ["afterprint", false],
  ] as const)
    window.addEventListener(event, () => {
      printing = begins;
      apply(button);
    });
  apply(button);
}

function apply(button: HTMLButtonElement): void {
  document.documentElement.dataset.theme = themeName();
  button.textContent = themeName() === "dark" ? "Light" : "Dark";
  for (const listener of listeners) listener();
}
