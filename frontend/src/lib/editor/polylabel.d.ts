declare module 'polylabel' {
  /** Return the centre of the approximately largest circle inside a polygon, and its distance from the sides. */
  export default function polylabel(polygon: [number, number][][], precision?: number): [number, number] & { distance: number };
}
