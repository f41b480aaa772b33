// Whether the device has touch input only, by the same query as in app.css. Touch scrolls the map and does not drag orders.
const ALONE = matchMedia('(hover: none) and (pointer: coarse)');

export const touchOnly = (): boolean => ALONE.matches;
