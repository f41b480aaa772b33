declare module 'polylabel' {
  /** The centre of about the largest circle within a polygon, with its distance from the sides. */
  export default function polylabel(polygon: [number, number][][], precision?: number): [number, number] & { distance: number };
}
