// Whether the device has touch input only, by the same media query as in app.css. On such a device, touch scrolls the
// map and cannot drag orders.
const ALONE = matchMedia('(hover: none) and (pointer: coarse)');

export const touchOnly = (): boolean => ALONE.matches;
