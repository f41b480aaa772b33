// Marks at the edge of the visible part of the map, in the direction of regions outside of it.
import type { Point } from './geometry';
import type { MapDoc } from './types';

export interface EdgeMark {
  region: number; // the nearest of the regions that the mark stands for
  more: number; // number of the other regions
  at: Point; // centre in pixels of the frame
  angle: number; // direction of the region in radians; 0: to the right
}

const MARGIN = { top: 24, bottom: 66 }; // distances of marks from the edges, in pixels; buttons are at the bottom
const SPACING = 36; // smallest vertical distance of two marks, in pixels
const CLEARANCE = [16, 34]; // smallest horizontal or vertical distance of a mark from the centre of armies that it must not cover
const HALF_WIDTH = { empty: 30, character: 3.9, more: 32, most: 84 }; // half the width of a mark in pixels: without a name, for each character of it, for the number of other regions, at most
const EDGE = 4; // smallest horizontal distance of a mark from the edge, in pixels

/**
 * Return the marks for the regions whose labels are outside of the visible part. `visibleBox`: the visible part in map units:
 * left, top, width, height. `frameWidth`, `frameHeight`: its width and height in pixels. `below`: a height in pixels below it that is visible
 * too, but gets no marks. `open`: regions whose armies the marks do not cover.
 */
export function edgeMarks(map: MapDoc, regions: number[], open: number[], visibleBox: MapDoc['box'], [frameWidth, frameHeight]: Point, below: number): EdgeMark[] {
  const [left, top, width, height] = visibleBox;
  const [x0, y0] = [frameWidth / 2, frameHeight / 2];
  const pixels = ([x, y]: Point): Point => [((x - left) * frameWidth) / width, ((y - top) * frameHeight) / height];
  const half = (region: number, hasMore = 0): number => Math.min(HALF_WIDTH.most, HALF_WIDTH.empty + HALF_WIDTH.character * map.regions[region].name.length + (hasMore && HALF_WIDTH.more));
  const outsideRegions = regions.flatMap((region) => {
    const [px, py] = pixels(map.regions[region].label);
    const isVisible = px >= 0 && px <= frameWidth && py >= 0 && py <= frameHeight + below;
    return isVisible ? [] : [{ region, dx: px - x0, dy: py - y0 }];
  });
  const openCentres = open.map((r) => pixels(map.regions[r].label)).filter(([x, y]) => x >= 0 && x <= frameWidth && y >= 0 && y <= frameHeight);
  /** Move a mark of this half width towards the middle until it covers no armies of open regions. */
  const clear = (centre: Point, halfWidth: number): void => {
    const direction = centre[1] < y0 ? 1 : -1;
    const covered = () => openCentres.find(([x, y]) => Math.abs(x - centre[0]) < halfWidth + CLEARANCE[0] && Math.abs(y - centre[1]) < CLEARANCE[1]);
    for (let armies = covered(); armies; armies = covered()) centre[1] = armies[1] + direction * (CLEARANCE[1] + 1); // a whole pixel, so that the loop ends
  };
  outsideRegions.sort((p, q) => Math.hypot(p.dx, p.dy) - Math.hypot(q.dx, q.dy));
  const marks: EdgeMark[] = [];
  for (const { region, dx, dy } of outsideRegions) {
    const room = [x0 - half(region) - EDGE, dy < 0 ? y0 - MARGIN.top : frameHeight - y0 - MARGIN.bottom].map((x) => Math.max(1, x));
    const share = Math.min(1, room[0] / Math.max(1e-9, Math.abs(dx)), room[1] / Math.max(1e-9, Math.abs(dy)));
    const centre: Point = [x0 + share * dx, y0 + share * dy];
    clear(centre, half(region));
    const neighbour = marks.find((mark) => Math.abs(mark.at[0] - centre[0]) < half(mark.region) + half(region) && Math.abs(mark.at[1] - centre[1]) < SPACING);
    if (neighbour) neighbour.more += 1;
    else marks.push({ region, more: 0, at: centre, angle: Math.atan2(dy, dx) });
  }
  for (const { region, more, at } of marks) {
    const maxX = frameWidth - half(region, more) - EDGE;
    at[0] = Math.min(maxX, Math.max(frameWidth - maxX, at[0]));
    if (more) clear(at, half(region, more));
  }
  return marks;
}
