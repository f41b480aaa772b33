// Whether fingers are all there is, by the same words as in app.css: they scroll the map, and drag no orders.
const ALONE = matchMedia('(hover: none) and (pointer: coarse)');

export const fingersAlone = (): boolean => ALONE.matches;
