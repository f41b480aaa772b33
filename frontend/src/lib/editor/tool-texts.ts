// Names, hints and keyboard shortcuts of the tools of the map editor.
import { t } from '../i18n.svelte';
import type { Tool } from './editor-state.svelte';

export interface ToolText {
  key: string;
  name: string;
  hint: string;
}

export function toolTexts(): Record<Tool, ToolText> {
  return {
    select: { key: 'V', name: t('Select'), hint: t('Press a region, a line or a corner to choose it. Drag it to move it. A corner of several regions moves in all of them.') },
    outline: { key: 'R', name: t('Outline'), hint: t('Press each corner of the outline in turn. Press corners of another region to share its side. To close the outline, press its first corner, press twice, or press Enter.') },
    point: { key: 'P', name: t('Points'), hint: t('Press a place to add a region there. The region gets the area nearest to its point. Drag a point to move it.') },
    connect: { key: 'B', name: t('Borders'), hint: t('To add a border, drag from region to region, or press one and then the other. Do the same again to remove it. If the regions do not touch, a line connects their coasts.') },
    paint: { key: 'S', name: t('Paint'), hint: t('Choose a super region in the list. Then press its regions, or drag over them.') },
    hand: { key: 'H', name: t('Move the sheet'), hint: t('Drag the sheet to move it. The space bar, the middle button and two fingers move it, too. The wheel zooms.') },
  };
}
