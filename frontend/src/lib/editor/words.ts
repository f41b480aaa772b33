// The tools of the map editor in words, with their keys.
import { t } from '../words.svelte';
import type { Tool } from './studio.svelte';

export interface Told {
  key: string;
  name: string;
  hint: string;
}

export function toolsTold(): Record<Tool, Told> {
  return {
    select: { key: 'V', name: t('Select'), hint: t('Press a region, a line or a corner to choose it, drag it to move it. A corner that regions share moves in all of them.') },
    outline: { key: 'R', name: t('Outline'), hint: t('Press corner after corner; at corners that are there already, sides become one. Close the outline at its first corner, by a double press or with Enter.') },
    point: { key: 'P', name: t('Points'), hint: t('Press where a region is to be: it gets what is nearest to its point. Drag a point to move it.') },
    connect: { key: 'B', name: t('Borders'), hint: t('Drag from region to region, or press one and then the other: a border, and once more none. Where nothing touches, a line is drawn between the coasts.') },
    paint: { key: 'S', name: t('Paint'), hint: t('Choose a super region in the list and press its regions, or stroke over them.') },
    hand: { key: 'H', name: t('Move the sheet'), hint: t('Drag the sheet. So do the space bar, the middle button and two fingers; the wheel makes it larger.') },
  };
}
