// Outlines of regions around points: Voronoi cells. They fill the sheet, or have a largest distance from their points.
import { Delaunay } from 'd3-delaunay';
import type { Point } from '../geometry';
import { area, clip, depth, type Ring, rounded } from './polygons';
import { outlined, type Sketch, type SketchRegion } from './sketch';

const CORNERS = 36; // number of corners of the polygon that approximates a circle
const EDGE = 4; // margin in map units between cells and the edge of the sheet

/** Recompute the outlines of all Voronoi cells. */
export function updateVoronoi(sketch: Sketch): Sketch {
  if (!sketch.regions.some(({ kind }) => kind === 'cell')) return sketch;
  const sites = sketch.regions.filter(({ kind }) => kind !== 'point'); // cells keep away from drawn regions, too
  const [x, y, width, height] = sketch.box;
  const diagram = Delaunay.from(sites.map(({ at }) => at)).voronoi([x + EDGE, y + EDGE, x + width - EDGE, y + height - EDGE]);
  const shapes = new Map(sites.map((site, i): [number, SketchRegion] => [site.key, site.kind === 'cell' ? shaped(site, diagram.cellPolygon(i), sketch.reach) : site]));
  return { ...sketch, regions: sketch.regions.map((region) => shapes.get(region.key) ?? region) };
}

function shaped(cell: SketchRegion, polygon: Iterable<Point> | null, reach: number | null): SketchRegion {
  const open = [...(polygon ?? [])].slice(0, -1);
  const oriented = area(open) < 0 ? open.reverse() : open;
  const ring = tidy(reach === null ? oriented : clip(oriented, circle(cell.at, reach)));
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
