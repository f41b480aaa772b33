// Explanations of technical terms about bots, analyses and ratings, and of signs.
import { t } from './i18n.svelte';

export type Term = 'candidates' | 'tries' | 'value' | 'prior' | 'simulations' | 'refined' | 'layer' | 'chances' | 'curve' | 'timeline' | 'goals' | 'accuracy' | 'interval' | 'moves' | 'parts';

export interface Explained {
  name: string;
  text: string;
}

/** Return a term's displayed name and explanation. */
export function explained(term: Term): Explained {
  const all: Record<Term, () => Explained> = {
    candidates: () => ({
      name: t('Candidates'),
      text: t('Turns that the bot compared. The first is the turn that the bot would play. +3 BR: deploy 3 on BR. BR→PE: attack or transfer from BR to PE.'),
    }),
    tries: () => ({
      name: t('Tries'),
      text: t('How often the bot tried this turn. The bot tries good turns again and again, so the turn with the most tries is usually the best.'),
    }),
    value: () => ({
      name: t('Value'),
      text: t('The mean result of the turn in these tries: your share of the position, from 0 (all is lost) to 1 (all is won). Between two players, 0.5 is even.'),
    }),
    prior: () => ({
      name: t('First guess'),
      text: t('The bot’s estimate of the turn before it tries any turn, as a share of all candidates. The bot begins with the turns that look best.'),
    }),
    simulations: () => ({
      name: t('Tries and small changes'),
      text: t('How often the bot tried turns, and how many small changes to the best turn it tried after that. More of them make the numbers more certain.'),
    }),
    refined: () => ({
      name: t('Improved'),
      text: t('The bot found this turn by small changes to the best candidate. The turn was not a candidate at the beginning, so it has no tries. Its value was measured separately.'),
    }),
    goals: () => ({
      name: t('Goals'),
      text: t('The goals of the bot in this turn, the most valuable first. Each goal has the armies that it needs and its value to the bot, in armies.'),
    }),
    layer: () => ({
      name: t('Map layer'),
      text: t('Numbers on the map. Region value: how much each region is worth to the bot. Threat: the chance that the strongest neighbour takes your region in its next turn, with all its income. How often the bot tried it: the share of the tried turns that deploy there or attack it.'),
    }),
    curve: () => ({ name: t('Win probability'), text: [all.chances().text, t('Also at the start, players with the same income can have different chances: the start regions of one can be better, for example in super regions with few regions or with fewer neighbours.')].join(' ') }),
    timeline: () => ({
      name: t('Marks of the timeline'),
      text: t('Above the line are events. Small dot: captures. Large dot: a super region was won or lost; a ring is your loss. Square: a player is out or made an error. Below the line are mistakes of the analysis: each triangle is one, and the colour is that of its mark.'),
    }),
    chances: () => ({
      name: t('Win probability'),
      text: t('Many games are simulated from this position, in which all players attack every weaker neighbour. The win probability is the share of these games that the player wins. The band is its 95 % interval.'),
    }),
    parts: () => ({
      name: t('Parts of the change'),
      text: t('The win probability before a round assumes usual orders of all players. The orders of the others give a player points if they are worse than usual; this part also includes what the best known turn gains over a usual turn. The player’s own turn costs points if another known turn is better. The dice give or cost the rest. All values are rounded.'),
    }),
    interval: () => ({
      name: t('± 95 %'),
      text: t('The number after ± is half the width of the 95 % interval: with a probability of 95 %, the exact value is at most this far away. More simulated games make it smaller.'),
    }),
    moves: () => ({
      name: t('Moves'),
      text: t('+5: 5 armies deployed. 5 −1/−2: an attack with 5 armies that lost 1 and killed 2. ✓: the region was taken. ⚑: the other player took your region. Green is good for you, red is bad for you.'),
    }),
    accuracy: () => ({
      name: t('Accuracy'),
      text: t('100 % means that no better turns are known; 0 % means that the turns were no better than turns without orders. A turn counts more if it could change the win probability more.'),
    }),
  };
  return all[term]();
}
