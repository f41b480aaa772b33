// Words of searches and figures, explained in a sentence or two.
import { t } from './words.svelte';

export type Term = 'candidates' | 'visits' | 'value' | 'prior' | 'simulations' | 'refined' | 'layer' | 'chances' | 'goals';

export interface Explained {
  name: string;
  text: string;
}

/** A word with what it means here. */
export function explained(term: Term): Explained {
  const all: Record<Term, () => Explained> = {
    candidates: () => ({
      name: t('Candidates'),
      text: t('Turns that the bot weighed against each other, the one that it would play first. +3 BR: deploy 3 on BR; BR→PE: attack or move from BR to PE.'),
    }),
    visits: () => ({
      name: t('Visits'),
      text: t('How often the search tried this turn. It comes back to what does well, so the most visited turn is usually the one to play.'),
    }),
    value: () => ({
      name: t('Value'),
      text: t('What the turn came to on the average in those tries: your share of the position, from 0, all is lost, to 1, all is won. 0.5 is even between two.'),
    }),
    prior: () => ({
      name: t('Prior'),
      text: t('How promising the turn looked before anything was tried, as a share of all candidates. The search begins with what has a high one.'),
    }),
    simulations: () => ({
      name: t('Simulations and trials'),
      text: t('How many times the search played ahead in thought, and then how many small changes to the best turn it tried. More of them make its figures more certain.'),
    }),
    refined: () => ({
      name: t('Refined'),
      text: t('Found by changing the best candidate a little where that helped. It was not among the turns that were tried from the beginning, so it has no visits, and its value was measured apart.'),
    }),
    goals: () => ({
      name: t('Goals'),
      text: t('What the bot set out to do in this turn, the most worthwhile first: how many armies each goal takes, and how many armies it is worth to the bot.'),
    }),
    layer: () => ({
      name: t('Map layer'),
      text: t('Figures on the map. Region value: what a search holds each region to be worth. Threat: the chance that the strongest neighbour takes a region of yours in its next turn, with all its income. Visit share: how much of its tries the search spent on turns that deploy there or attack it.'),
    }),
    chances: () => ({
      name: t('Win probability'),
      text: t('The share of games won that were played on from this position, everybody playing like the bot “aggressive”. The band is the interval of 95 %: how far chance may have led the figure astray.'),
    }),
  };
  return all[term]();
}
