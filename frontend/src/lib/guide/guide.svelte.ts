// The guide of a player's first game. It computes the next step from the current state, so the player may act in any
// order.
import { untrack } from 'svelte';
import { captureChances, chanceSentence } from '../capture-chances';
import type { TurnInput } from '../turn-input.svelte';
import type { Draft } from '../draft.svelte';
import type { Live } from '../live.svelte';
import { linesOf } from '../moves';
import { nameOf } from '../player-names';
import { breaks } from '../position-queries';
import type { Playback } from '../playback.svelte';
import { saveItem, loadData } from '../storage';
import { t } from '../i18n.svelte';
import { touchOnly } from '../touch';
import type { Step, Target } from './step';
import { attackBeside, attackFor, attackFrom, FAIR, inDanger, stackToMove, type Suggestion } from './suggest';
import { TIP_NAMES, tipFor, type Tip } from './tips';

const STAGES = ['first', 'look', 'bonus', 'stack', 'free'] as const;
type Stage = (typeof STAGES)[number];
/** Names of the tips that the guide may show at each stage. */
const TIPS: Record<Stage, readonly Tip['name'][]> = { first: [], look: [], bonus: ['end', 'rest'], stack: ['end', 'rest', 'bonus', 'enemy'], free: TIP_NAMES };
const ENOUGH = 0.95; // probability of capture above which the guide asks for no more armies
const HOPELESS = 0.2; // probability of capture below which an attack very probably fails
const PATIENCE = 4; // number of rounds in which the guide waits for an army in a region that has only own neighbours

interface Kept {
  stage: Stage;
  since: number;
  slid: boolean;
  looked: boolean;
  left: boolean;
  told: Tip['name'][];
}

/** Return the target for an element with a `data-guide` attribute. */
const marked = (name: 'deploy' | 'attack' | 'armies' | 'commit' | 'back' | 'live'): Target => ({ css: `[data-guide="${name}"]` });

export class Guide {
  isEnabled = $state(false); // whether this game has a guide
  left = $state(false); // whether the player has closed the guide; the player can open it again
  private stage = $state<Stage>('first');
  private since = $state(0); // number of rounds played when the stage began
  private hasSlid = $state(false); // whether the player has changed the number of armies of an attack
  private hasLooked = $state(false); // whether the player has replayed the last round
  private readTips = $state<Tip['name'][]>([]);
  private helpRound = $state(-1); // the round in which the player asked for help
  private lastAttack: [key: string, armies: number] | null = null;
  // the shown tip, and the number of rounds played when it was shown
  private shownTip: { name: Tip['name']; played: number } | null = null;

  constructor(
    private show: Playback,
    private live: Live,
    private turnInput: TurnInput,
    isRequested: boolean,
  ) {
    const saved = loadData(this.key) as Partial<Kept> | null;
    this.isEnabled = show.doc.kind === 'play' && (isRequested || saved !== null);
    if (saved && STAGES.includes(saved.stage as Stage)) this.stage = saved.stage!;
    [this.since, this.hasSlid, this.hasLooked, this.left] = [Number(saved?.since) || 0, saved?.slid === true, saved?.looked === true, saved?.left === true];
    if (Array.isArray(saved?.told)) this.readTips = saved.told;
    $effect(() => this.noticeSlide());
    $effect(() => {
      if (this.stage === 'look' && !this.show.playing && !this.show.atEnd) this.hasLooked = true;
    });
    $effect(() => this.advance());
    $effect(() => this.noticeTip());
    $effect(() => {
      const { stage, since, hasSlid: slid, hasLooked: looked, left, readTips: told } = this;
      if (this.isEnabled) saveItem(this.key, JSON.stringify({ stage, since, slid, looked, left, told } satisfies Kept));
    });
  }

  /** Address of the first mistake in the analysis of this game. */
  get analysis(): string {
    return `#/r/${this.show.doc.id}?mistake=1`;
  }

  private get key(): string {
    return `warlight.guide.${this.show.doc.id}`;
  }

  private get seat(): number {
    return this.show.doc.seat ?? 0;
  }

  private name = (r: number): string => this.show.doc.map.regions[r].name;

  /** Number of the step and number of all steps; null: the guided rounds are over. */
  get place(): [number, number] | null {
    return this.stage === 'free' ? null : [STAGES.indexOf(this.stage) + 1, STAGES.length - 1];
  }

  /** Whether the player can ask the guide for the next step. */
  get mayHelp(): boolean {
    return this.stage === 'free' && this.turnInput.editing && this.helpRound !== this.turnInput.draft?.round && !this.isOver;
  }

  help(): void {
    this.helpRound = this.turnInput.draft?.round ?? -1;
    this.dismiss();
  }

  /** Close the preview of the chosen order, and keep the order. */
  closePreview(): void {
    if (this.turnInput.draft) this.turnInput.draft.chosen = null;
  }

  /** Close the shown tip. */
  dismiss(): void {
    if (this.tip) this.markRead(this.tip.name);
  }

  private markRead(tip: Tip['name']): void {
    if (!this.readTips.includes(tip)) this.readTips = [...this.readTips, tip];
  }

  /**
   * Handle any press on the page. A press on an order of the move list counts as a replay of the round, even if that
   * order is already shown.
   */
  pressed(element: Element): void {
    if (this.stage === 'look' && element.closest('[data-step]')) this.hasLooked = true;
  }

  get isOver(): boolean {
    return this.live.now?.phase === 'over';
  }

  tip: Tip | null = $derived.by(() => {
    void this.show.version;
    return tipFor(this.show, this.turnInput, this.isOver, TIPS[this.stage].filter((tip) => !this.readTips.includes(tip)));
  });

  step: Step | null = $derived.by(() => {
    void this.show.version;
    if (this.tip) return this.tip;
    if (this.isOver) return null;
    if (this.turnInput.asking) {
      return { name: 'asking', says: t('Armies that are not deployed are lost. Go back and deploy them.'), at: marked('back') };
    }
    if (this.stage === 'look') return this.lookStep();
    const { draft } = this.turnInput;
    if (draft && !this.turnInput.editing) return this.show.playing ? this.watchStep() : this.backStep();
    if (!draft || (this.stage === 'free' && this.helpRound !== draft.round)) return null;
    return this.turnStep(draft);
  });

  /** Go to the next stage, according to the player's actions. */
  private advance(): void {
    const { show, turnInput, stage, since } = this;
    const [played, hasBegun] = [show.last, Boolean(turnInput.draft && (turnInput.draft.deploys.length || turnInput.draft.attacks.length))];
    if (stage === 'first' && played > since) this.enterStage('look');
    else if (stage === 'look' && (hasBegun || played > since || (this.hasLooked && show.atEnd && !show.playing))) this.enterStage('bonus');
    else if (stage === 'bonus' && played > since) this.enterStage('stack');
    else if (stage === 'stack' && (played >= since + PATIENCE || this.hasTransferred())) this.enterStage('free');
  }

  private enterStage(stage: Stage): void {
    [this.stage, this.since] = [stage, this.show.last];
  }

  /** Whether the player has transferred armies between own regions since the stage began. */
  private hasTransferred(): boolean {
    const rounds = this.show.history.rounds.slice(this.since);
    return rounds.some(({ moves }) => moves.some(([player, , , , lost]) => player === this.seat && lost === undefined));
  }

  /** Count a tip as read if the player commits a turn without closing it. */
  private noticeTip(): void {
    const [before, played] = [this.shownTip, this.show.last];
    if (before && before.played < played) untrack(() => this.markRead(before.name));
    this.shownTip = this.tip && { name: this.tip.name, played };
  }

  private noticeSlide(): void {
    const attack = this.attack(this.turnInput.draft);
    const key = attack ? `${attack[0]} ${attack[1]}` : '';
    if (attack && this.lastAttack?.[0] === key && this.lastAttack[1] !== attack[2]) this.hasSlid = true;
    this.lastAttack = attack ? [key, attack[2]] : null;
  }

  /** Return the first attack of the draft; transfers do not count. */
  private attack(draft: Draft | null): [number, number, number] | undefined {
    return draft?.attacks.find(([, to]) => !this.turnInput.isOwn(to));
  }

  /** Return the indices of the regions that a text names. */
  named(text: string): number[] {
    return this.show.doc.map.regions.flatMap(({ name }, r) => (text.includes(name) ? [r] : []));
  }

  // Steps while the player enters a turn

  private turnStep(draft: Draft): Step {
    const { stage } = this;
    const plan = attackFor(this.show.doc, draft.position, this.seat, draft, stage === 'first');
    const attack = this.attack(draft);
    if (!draft.attacks.length && draft.left > 0) return plan ? this.deployStep(draft, plan) : this.defendStep(draft);
    if (!attack && plan) return this.attackStep(draft, plan);
    if (attack && stage === 'first' && draft.phase !== 'review') {
      const step = this.sliderStep(draft, draft.attacks.indexOf(attack));
      if (step) return step;
    }
    const weakStep = this.weakAttack(draft);
    if (weakStep) return weakStep;
    const hasNextStep = stage !== 'first' && stage !== 'bonus' && draft.phase !== 'review';
    const nextAttack = hasNextStep ? attackBeside(this.show.doc, draft.position, this.seat, draft) : null;
    if (nextAttack && draft.left <= 0) return this.attackStep(draft, nextAttack, true);
    const stack = hasNextStep ? stackToMove(this.show.doc, draft.position, this.seat) : null;
    if (stack && !draft.attacks.some(([from]) => from === stack.from)) return this.stackStep(draft, stack);
    return this.commitStep(stage === 'first' && attack !== undefined, draft.attacks.length > 0);
  }

  private deployStep(draft: Draft, plan: Suggestion): Step {
    const { doc } = this.show;
    const [from, to, target] = [this.name(plan.from), this.name(plan.to), { region: plan.from }];
    if (draft.phase !== 'deploy') {
      return { name: 'to-deploy', says: t('First deploy: press {button}.', { button: t('Deploy') }), at: marked('deploy') };
    }
    if (this.stage === 'first' && !draft.deployed) {
      const says = t(
        'You win when you have taken every region of the other player. Regions with a blue circle are yours. The number shows the armies there. You have {n, plural, one {# new army} other {# new armies}} to deploy: press {from}.',
        { n: draft.left, from },
      );
      return { name: 'deploy', says, at: target };
    }
    if (this.stage === 'first') {
      const says = t('{n, plural, one {One army is} other {# armies are}} deployed. Deploy the other {left} there, too: press {from} again.', {
        n: draft.deployed,
        left: draft.left,
        from,
      });
      const allText = t('The button “{all}” deploys all armies at once.', { all: t('All on {region}', { region: from }) });
      return { name: 'deploy-all', says: touchOnly() && draft.left > 1 && this.turnInput.onDeploy === plan.from ? `${says} ${allText}` : says, keys: t('Shift and a click deploy all armies at once.'), at: target };
    }
    if (this.stage === 'bonus') {
      const s = doc.map.regions[plan.to].super;
      const { name, bonus, regions } = doc.map.supers[s];
      const heldCount = regions.filter((r) => draft.position.owner[r] === this.seat).length;
      const values = { to, from, name, bonus, held: heldCount, all: regions.length };
      const says =
        plan.wins !== null
          ? t(
              'A super region is all regions inside a coloured outline. A player who holds all of them gets its bonus in every round. You need only {to} to complete {name}, which gives {bonus, plural, one {# more army} other {# more armies}}. Deploy beside it: press {from} until all armies are there.',
              values,
            )
          : t(
              'A super region is all regions inside a coloured outline. A player who holds all of them gets its bonus in every round. {name} gives {bonus, plural, one {# army} other {# armies}}, and you hold {held} of its {all} regions. Take {to} next. Deploy beside it: press {from} until all armies are there.',
              values,
            );
      return { name: 'deploy', says, at: target, also: { css: `[data-super="${s}"]` } };
    }
    return { name: 'deploy', says: [this.possibility(draft, plan), this.warning(draft, plan)].filter(Boolean).join(' '), at: target };
  }

  /** Return a text about an attack that the player can prepare, with its reason. */
  private possibility({ position }: Draft, { from, to, wins }: Suggestion): string {
    const { map } = this.show.doc;
    const broken = breaks(map, position.owner, this.seat, to);
    const { name: superName, bonus } = map.supers[wins ?? broken ?? 0];
    const values = { why: wins !== null ? 'wins' : broken !== null ? 'breaks' : '', of: superName, bonus, from: this.name(from), to: this.name(to) };
    return t(
      'One possibility: attack {to}{why, select, wins { to complete {of} (+{bonus})} breaks { to break the bonus of {of} (+{bonus})} other {}}. For this, deploy beside it: press {from} until all armies are there.',
      values,
    );
  }

  /** Return a text about the region that an enemy threatens most, apart from the planned attack; '': none. */
  private warning(draft: Draft, { from, to }: Suggestion): string {
    const { position } = draft;
    const otherThreats = { ...position, army: position.army.map((n, r) => (r === to ? 0 : n)) };
    const danger = inDanger(this.show.doc, otherThreats, this.seat, (r) => draft.deployedOn(r) + (r === from ? Math.max(0, draft.left) : 0));
    if (!danger) return '';
    const values = { who: nameOf(this.show.doc, position.owner[danger.from]), n: position.army[danger.from], from: this.name(danger.from), r: this.name(danger.region) };
    return t('But {who} has {n, plural, one {# army} other {# armies}} in {from}. To protect {r}, deploy some armies there.', values);
  }

  /** Steps for a round in which no attack has a fair chance. */
  private defendStep(draft: Draft): Step {
    const { position } = draft;
    if (draft.phase !== 'deploy') {
      return { name: 'to-deploy', says: t('First deploy: press {button}.', { button: t('Deploy') }), at: marked('deploy') };
    }
    const ownRegions = position.owner.flatMap((o, r) => (o === this.seat ? [r] : []));
    const border = ownRegions.filter((r) => this.show.doc.map.regions[r].near.some((n) => position.owner[n] !== this.seat));
    const region = inDanger(this.show.doc, position, this.seat, (r) => draft.deployedOn(r))?.region ?? border[0] ?? ownRegions[0];
    return { name: 'deploy', says: t('No attack has a good chance in this round. Deploy to defend your regions: press {r}.', { r: this.name(region) }), at: { region } };
  }

  private attackStep(draft: Draft, plan: Suggestion, isSecond = false): Step {
    const [source, position] = [this.turnInput.source, draft.position];
    const drag = t('Or drag from {from} to {to}.', { from: this.name(plan.from), to: this.name(plan.to) });
    if (draft.phase === 'deploy') {
      const says = t('All armies are deployed. Now attack: press {button}.', { button: t('Attack') });
      return { name: 'to-attack', says, keys: drag, at: marked('attack') };
    }
    if (source === null) {
      const values = { from: this.name(plan.from), to: this.name(plan.to) };
      const says = isSecond
        ? t('You can attack more than once. Another possibility is {to}: press {from}.', values)
        : t('Choose the region that attacks. Press {from}: all its armies except one can leave.', values);
      return { name: 'source', says, keys: drag, at: { region: plan.from } };
    }
    const nearAttack = attackFrom(this.show.doc, position, this.seat, source, draft.free(source));
    const to = source === plan.from ? plan.to : nearAttack?.to;
    if (to === undefined) {
      return { name: 'unsource', says: t('No attack from {source} has a good chance: press it again, and choose another region.', { source: this.name(source) }), at: { region: source } };
    }
    const owner = position.owner[to];
    const values = { to: this.name(to), n: position.army[to], who: owner < 0 ? '' : nameOf(this.show.doc, owner) };
    const says =
      owner < 0
        ? t('The neighbours have rings. Press {to}: {n, plural, one {one neutral army is} other {# neutral armies are}} there.', values)
        : t('The neighbours have rings. Press {to}: {n, plural, one {one army} other {# armies}} of {who} {n, plural, one {is} other {are}} there.', values);
    return { name: 'target', says, at: { region: to } };
  }

  /**
   * Steps about the number of armies and the chance of capture; null: the player has tried the slider, and the attack
   * is strong enough.
   */
  private sliderStep(draft: Draft, index: number): Step | null {
    const [, to, armies] = draft.attacks[index];
    const [maxArmies, chances] = [draft.maxArmies(index), captureChances(this.show.doc, draft.position, armies, to)];
    const isTried = this.hasSlid || maxArmies <= 1;
    if (isTried && (armies >= maxArmies || (chances?.now ?? 1) >= ENOUGH)) return null;
    if (draft.chosen !== index) {
      return { name: 'choose', says: t('Choose your attack on {to}: press it in the list of orders.', { to: this.name(to) }), at: { css: `[data-order="${index}"]` } };
    }
    const values = { n: armies, to: this.name(to), chances: chances ? chanceSentence(chances) : t('the armies there are hidden') };
    const says = isTried
      ? t('{n, plural, one {One army attacks} other {# armies attack}} {to}, {chances}. Send more armies: move the slider to the right.', values)
      : t('{n, plural, one {One army attacks} other {# armies attack}} {to}, {chances}. Move the slider to send fewer armies, and see how the chance changes.', values);
    return { name: isTried ? 'more' : 'slide', says, keys: t('Or type the number.'), at: marked('armies') };
  }

  /** The step about the weakest attack of the draft; null: all have a fair chance, or their targets are hidden. */
  private weakAttack(draft: Draft): Step | null {
    const candidates = draft.attacks.flatMap(([, to, armies], i) => {
      if (this.turnInput.isOwn(to) || draft.attacks.filter(([, target]) => target === to).length > 1) return []; // several battles
      const chances = captureChances(this.show.doc, draft.position, Math.min(armies, draft.maxArmies(i)), to);
      return chances ? [{ to, chances }] : [];
    });
    const [weakest] = candidates.filter(({ chances }) => chances.now < FAIR).sort((a, b) => a.chances.now - b.chances.now);
    if (!weakest) return null;
    const index = draft.attacks.findIndex(([, to]) => to === weakest.to);
    const [from, , armies] = draft.attacks[index];
    const remedy = armies < draft.maxArmies(index) ? 'send' : draft.left > 0 ? 'deploy' : 'other';
    const values = { to: this.name(weakest.to), from: this.name(from), very: weakest.chances.now < HOPELESS ? 'yes' : 'no', chances: chanceSentence(weakest.chances), what: remedy };
    const says = t(
      'Your attack on {to} will {very, select, yes {very probably} other {probably}} fail, {chances}. {what, select, send {Send more armies} deploy {Deploy more armies on {from} and send them} other {Attack with more armies from another region}}, or remove this order and attack another region.',
      values,
    );
    return { name: 'weak', says, at: { css: `[data-order="${index}"]` } };
  }

  private stackStep(draft: Draft, { from, to }: { from: number; to: number }): Step {
    const values = { n: draft.position.army[from] - 1, from: this.name(from), to: this.name(to) };
    if (draft.phase !== 'attack') return { name: 'to-attack', says: t('Now move armies: press {button}.', { button: t('Attack') }), at: marked('attack') };
    if (this.turnInput.source !== from) {
      const says = t('All neighbours of {from} are yours, and {n, plural, one {one army there does} other {# armies there do}} nothing. Move {n, plural, one {it} other {them}} to the front: press {from}.', values);
      return { name: 'stack', says, at: { region: from } };
    }
    return { name: 'stack-to', says: t('Then press {to}. Armies move to your own region without a fight.', values), at: { region: to } };
  }

  private commitStep(isFirst: boolean, hasMoves: boolean): Step {
    const button = t('Commit');
    const says = !hasMoves
      ? t('No attack has a good chance now: your armies stay and defend. Press {button}.', { button })
      : isFirst
        ? t('Press {button}. Then the orders of all players are executed: first the deploys, then the attacks in a random order.', { button })
        : t('You can add more attacks. When you are ready, press {button}.', { button });
    return { name: 'commit', says, keys: t('Ctrl and Enter commit.'), at: marked('commit') };
  }

  // Steps after a round

  private lookStep(): Step | null {
    const { show } = this;
    if (show.playing) return this.watchStep();
    if (this.hasLooked) return this.backStep();
    const round = show.history.rounds.at(-1);
    const lines = round ? linesOf(show.doc, round).filter((line) => line.player === this.seat && line.kind !== 'dropped') : [];
    const line = lines.find((x) => x.kind === 'taken' || x.kind === 'held') ?? lines[0];
    if (!line) return null;
    const { attack_kill, defense_kill } = show.doc.rules;
    const values = { result: line.result, attack: Math.round(100 * attack_kill), defense: Math.round(100 * defense_kill) };
    const says =
      line.kind === 'taken' || line.kind === 'held'
        ? t(
            'The round is over. To see your attack again, press it in the move list. {result} means: armies sent, armies lost, armies killed, ✓ taken. Each attacker kills with a chance of {attack} %, each defender with {defense} %.',
            values,
          )
        : t('The round is over. To see it again, press your order in the move list.');
    return { name: 'again', says, at: { css: `[data-round="${show.last}"] [data-step="${line.step}"]` } };
  }

  private watchStep(): Step {
    return { name: 'watch', says: t('Orders are executed one after the other. The numbers at the arrow are the armies that the attacker lost and killed.'), at: { css: '.status' } };
  }

  private backStep(): Step {
    return { name: 'back', says: t('You see an earlier round. To return to the current round, press {button}.', { button: t('Live') }), keys: t('Or L.'), at: marked('live') };
  }
}
