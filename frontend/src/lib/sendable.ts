// The armies that the attacks and transfers of a turn can send.
import type { GameDoc, Orders, Position } from './types';

/** The armies that can leave the regions of a player while the orders of a turn are executed fully, in sequence. */
export class SendableArmies {
  private departed = new Map<number, number>(); // region → armies that left minus armies that arrived
  private deployed = new Map<number, number>();

  constructor(
    private doc: GameDoc,
    private position: Position,
    private player: number,
    deploys: [number, number][],
  ) {
    for (const [region, armies] of deploys) this.deployed.set(region, (this.deployed.get(region) ?? 0) + armies);
  }

  /** Number of armies that can leave a region now. */
  available(region: number): number {
    return Math.max(0, this.position.army[region] + (this.deployed.get(region) ?? 0) - 1 - (this.departed.get(region) ?? 0));
  }

  /** Execute an attack or a transfer, and return the number of armies that it sends. */
  send([from, to, armies]: [number, number, number]): number {
    const sentArmies = Math.min(armies, this.available(from));
    this.departed.set(from, (this.departed.get(from) ?? 0) + sentArmies);
    const moves = this.position.owner[to] === this.player && this.doc.rules.moved_armies === 'free';
    if (moves) this.departed.set(to, (this.departed.get(to) ?? 0) - sentArmies);
    return sentArmies;
  }
}

/** A turn without reserves, and its reserves: orders that send armies only if an earlier order was not executed fully. */
export interface SplitTurn {
  sent: Orders;
  reserve: [from: number, to: number][];
}

/** Separate the reserves of a turn from its other orders, and reduce these to the armies that they can send. */
export function splitTurn(doc: GameDoc, position: Position, player: number, { deploys, attacks }: Orders): SplitTurn {
  const armies = new SendableArmies(doc, position, player, deploys);
  const sentAttacks = attacks.map(([from, to, n]): [number, number, number] => [from, to, armies.send([from, to, n])]);
  const canMoveAgain = doc.rules.moved_armies === 'free'; // otherwise armies that were sent cannot leave again
  const reserve = canMoveAgain ? sentAttacks.filter(([, , n]) => !n).map(([from, to]): [number, number] => [from, to]) : [];
  return { sent: { deploys, attacks: sentAttacks.filter(([, , n]) => n) }, reserve };
}
