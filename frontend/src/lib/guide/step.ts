// One step of the guide: its text and its target.

/** The target of a step: a region of the map, or the element with a CSS selector. */
export type Target = { region: number } | { css: string };

export interface Step {
  name: string;
  says: string;
  keys?: string; // text about keyboard shortcuts; not shown on touch-only devices
  at?: Target;
  also?: Target; // a second target, marked but not to be pressed
}
