// The state of the map editor: the sketch with undo and redo, the tool, the selection, and the problems of the map.
import { call, type CallError } from '../api';
import type { Point } from '../geometry';
import { saveItem, loadData } from '../storage';
import { t } from '../i18n.svelte';
import { celled, cornerNear, enclosed, FEWEST, followed } from './edits';
import { type Answer, type MapIssue, mapIssuesOf } from './map-issues';
import { distance, type Ring } from './polygons';
import { drawn, empty, restored, type Sketch, type SketchRegion, stored } from './sketch';

export const TOOLS = ['select', 'outline', 'point', 'connect', 'paint', 'hand'] as const;
export type Tool = (typeof TOOLS)[number];

/** The selected part of the map: a region (optionally with one of its corners), a super region, or a border. */
export interface Chosen {
  part: 'region' | 'super_region' | 'border';
  keys: number[];
  corner?: Point;
}

const KEY = 'warlight.sketch';
const PAUSE = 250; // delay in milliseconds between a change and the check of the map
const STEPS = 200; // number of changes that can be undone

export class EditorState {
  sketch = $state.raw<Sketch>(restored(loadData(KEY)) ?? empty('my-map'));
  tool = $state<Tool>('select');
  chosen = $state.raw<Chosen | null>(null);
  group = $state(-1); // key of the super region that new and painted regions get; -1: none
  corners = $state.raw<Ring>([]); // corners of the outline that the user draws
  from = $state(-1); // key of the region where the new border starts; -1: none
  cells = $state(true); // whether new points get a Voronoi cell as their outline
  checked = $state(false); // whether the results of the check belong to the current sketch
  error = $state(''); // error message of the failed check; '': no error
  private answered = $state.raw<{ answer: Answer; sketch: Sketch } | null>(null);
  private past = $state.raw<Sketch[]>([]);
  private future = $state.raw<Sketch[]>([]);
  private before: Sketch | null = null; // the sketch before the drag that is in progress; null: no drag
  private merging = '';
  private timer = 0;

  constructor() {
    this.group = this.sketch.supers[0]?.key ?? -1;
    this.cells = !this.sketch.regions.some(({ kind }) => kind === 'point');
    $effect(() => {
      const { sketch } = this;
      this.checked = false;
      clearTimeout(this.timer);
      this.timer = window.setTimeout(() => {
        saveItem(KEY, stored(sketch));
        void this.check(sketch);
      }, PAUSE);
      return () => clearTimeout(this.timer);
    });
    const save = (): void => saveItem(KEY, stored(this.sketch));
    $effect(() => {
      window.addEventListener('pagehide', save);
      return () => {
        window.removeEventListener('pagehide', save);
        save();
      };
    });
  }

  // Changes

  /**
   * Replace the sketch, as one undo step. Consecutive changes with the same word in `together`, such as typed letters
   * of one text, are one step.
   */
  change(next: Sketch, together = ''): void {
    if (next === this.sketch) return;
    if (!together || together !== this.merging) this.past = [...this.past.slice(-STEPS), this.sketch];
    [this.merging, this.future, this.sketch] = [together, [], next];
    this.tidy();
  }

  /** Show the sketch during a drag, without an undo step. */
  preview(next: Sketch): void {
    this.before ??= this.sketch;
    this.sketch = next;
  }

  /** Cancel the drag: restore the sketch from its start. */
  abandon(): void {
    if (!this.before) return;
    [this.sketch, this.before] = [this.before, null];
    this.tidy();
  }

  /** Finish the drag: make it one undo step, and update the borders to the new outlines. */
  settle(): void {
    const { before } = this;
    this.before = null;
    if (!before || before === this.sketch) return;
    this.past = [...this.past.slice(-STEPS), before];
    [this.merging, this.future, this.sketch] = ['', [], followed(before, this.sketch)];
  }

  get dragged(): Sketch {
    return this.before ?? this.sketch;
  }

  get canUndo(): boolean {
    return this.past.length > 0 || this.corners.length > 0;
  }

  get canRedo(): boolean {
    return this.future.length > 0;
  }

  undo(): void {
    if (this.corners.length) {
      this.corners = this.corners.slice(0, -1);
      return;
    }
    const before = this.past.at(-1);
    if (!before) return;
    this.future = [...this.future, this.sketch];
    [this.past, this.sketch, this.merging] = [this.past.slice(0, -1), before, ''];
    this.tidy();
  }

  redo(): void {
    const next = this.future.at(-1);
    if (!next) return;
    this.past = [...this.past, this.sketch];
    [this.future, this.sketch, this.merging] = [this.future.slice(0, -1), next, ''];
    this.tidy();
  }

  /** Replace the map by another one. The user can undo this. */
  open(sketch: Sketch): void {
    this.change({ ...sketch, sheet: Math.random() });
    [this.chosen, this.corners, this.from] = [null, [], -1];
    this.group = sketch.supers[0]?.key ?? -1;
    this.cells = !sketch.regions.some(({ kind }) => kind === 'point');
  }

  /** Remove deleted parts from the selection. */
  private tidy(): void {
    const keys = new Set([...this.sketch.regions, ...this.sketch.supers].map(({ key }) => key));
    if (this.chosen?.keys.some((key) => !keys.has(key))) this.chosen = null;
    if (!keys.has(this.group)) this.group = this.sketch.supers[0]?.key ?? -1;
    if (!keys.has(this.from)) this.from = -1;
  }

  // Selection

  use(tool: Tool): void {
    [this.tool, this.corners, this.from] = [tool, [], -1];
    if (this.chosen?.corner) this.chosen = { ...this.chosen, corner: undefined };
  }

  choose(part: Chosen['part'], ...keys: number[]): void {
    this.chosen = { part, keys };
    if (part === 'super_region') this.group = keys[0];
  }

  get region(): SketchRegion | null {
    const { chosen } = this;
    return chosen?.part === 'region' ? (this.sketch.regions.find(({ key }) => key === chosen.keys[0]) ?? null) : null;
  }

  regionOf(key: number): SketchRegion | undefined {
    return this.sketch.regions.find((region) => region.key === key);
  }

  // Outlines

  /**
   * Add a corner to the outline that is drawn. It snaps to a corner of another region within `tolerance` map units. A press
   * on the first corner closes the outline.
   */
  corner(point: Point, tolerance: number, word: string): void {
    const first = this.corners[0];
    if (first && this.corners.length >= FEWEST && distance(first, point) <= tolerance) return this.close(word);
    const snapped = cornerNear(this.sketch, point, tolerance) ?? point;
    const last = this.corners.at(-1);
    if (last && distance(last, snapped) < 1) return;
    this.corners = [...this.corners, [Math.round(10 * snapped[0]) / 10, Math.round(10 * snapped[1]) / 10]];
  }

  close(word: string): void {
    if (this.corners.length < FEWEST) return;
    const [next, key] = enclosed(this.sketch, this.corners, this.group, word);
    this.corners = [];
    this.change(next);
    this.choose('region', key);
  }

  setCells(enabled: boolean): void {
    this.cells = enabled;
    this.change(celled(this.sketch, enabled));
  }

  // Checks

  private async check(sketch: Sketch): Promise<void> {
    try {
      const answer = await call<Answer>('maps/check', drawn(sketch));
      if (sketch !== this.sketch) return;
      [this.answered, this.error, this.checked] = [{ answer, sketch }, '', true];
    } catch (error) {
      if (sketch !== this.sketch) return;
      this.error = (error as Error).message;
      if ([0, 429, 503].includes((error as CallError).status)) this.timer = window.setTimeout(() => void this.check(sketch), 2000);
    }
  }

  findings: MapIssue[] = $derived(this.answered ? mapIssuesOf(this.answered.answer, this.answered.sketch) : []);

  /** Largest number of players that the map allows, by the name of the rules. */
  get players(): Record<string, number> {
    return this.answered?.answer.players ?? {};
  }

  /** Why the map cannot be saved and played yet; '': it can. */
  get lacks(): string {
    if (this.error) return this.error;
    if (!this.checked) return t('Checking the map …');
    if (this.findings.some(({ soft }) => !soft)) return t('First solve the problems in the list.');
    return '';
  }

  /** The problems of one value of a part of the map, as one text. */
  issueText(part: MapIssue['part'], key: number | null, entry: string): string {
    const issues = this.findings.filter((x) => x.part === part && x.entry === entry && (key === null || x.keys.includes(key)));
    return issues.map(({ says }) => says).join(' ');
  }
}
