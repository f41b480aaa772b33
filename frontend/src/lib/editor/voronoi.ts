// Outlines of regions around points: Voronoi cells, clipped to a circle around each point and to the sheet.
import { Delaunay } from 'd3-delaunay';
import type { Point } from '../geometry';
import { area, clip, depth, type Ring, rounded } from './polygons';
import { outlined, type Sketch, type SketchRegion } from './sketch';

const CORNERS = 36; // number of corners of the polygon that approximates a circle
const EDGE = 4; // margin in map units between cells and the edge of the sheet

/** Recompute the outlines of all Voronoi cells. */
export function updateVoronoi(sketch: Sketch): Sketch {
  const cells = sketch.regions.filter(({ kind }) => kind === 'cell');
  if (!cells.length) return sketch;
  const [x, y, width, height] = sketch.box;
  const diagram = Delaunay.from(cells.map(({ at }) => at)).voronoi([x + EDGE, y + EDGE, x + width - EDGE, y + height - EDGE]);
  const shapes = new Map(cells.map((cell, i): [number, SketchRegion] => [cell.key, shaped(cell, diagram.cellPolygon(i), sketch.reach)]));
  return { ...sketch, regions: sketch.regions.map((region) => shapes.get(region.key) ?? region) };
}

function shaped(cell: SketchRegion, polygon: Iterable<Point> | null, reach: number): SketchRegion {
  const open = [...(polygon ?? [])].slice(0, -1);
  const turned = area(open) < 0 ? open.reverse() : open;
  const ring = tidy(clip(turned, circle(cell.at, reach)));
  if (ring.length < 3) return { ...cell, rings: [], path: '' }; // two points at the same position
  if (ring.map(String).join() === cell.rings[0]?.map(String).join()) return cell;
  return outlined(cell, [ring], { at: cell.at, radius: Math.max(0.1, Math.round(10 * depth(ring, cell.at)) / 10) });
}

function circle([x, y]: Point, radius: number): Ring {
  return Array.from({ length: CORNERS }, (_, k): Point => {
    const angle = (2 * Math.PI * k) / CORNERS;
    return [x + radius * Math.cos(angle), y + radius * Math.sin(angle)];
  });
}

/** Round the corners to tenths of a map unit, and remove repeated ones. */
function tidy(ring: Ring): Ring {
  const corners = ring.map(rounded);
  return corners.filter(([x, y], k) => {
    const [a, b] = corners[(k + corners.length - 1) % corners.length];
    return x !== a || y !== b;
  });
}
