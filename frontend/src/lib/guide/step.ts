// One step of the guide: its text, and the element that it points at.

/** What is to be pressed: a region of the map, or what a selector finds. */
export type Target = { region: number } | { css: string };

export interface Step {
  name: string;
  says: string;
  keys?: string; // that do it faster; not said where there are none
  at?: Target;
  also?: Target; // to be looked at
}
