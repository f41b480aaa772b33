// Czech translations, by the English texts in the code; both are ICU messages. A region is "území", a super region
// "kontinent".
import { analysis } from './cs/analysis';
import { bots } from './cs/bots';
import { editor } from './cs/editor';
import { game } from './cs/game';
import { guide } from './cs/guide';
import { hints } from './cs/hints';
import { home } from './cs/home';
import { library } from './cs/library';
import { opponents } from './cs/opponents';
import { report } from './cs/report';
import { settings } from './cs/settings';
import { multiplayer } from './cs/multiplayer';
import { tournament } from './cs/tournament';
import { errors } from './cs/errors';
import { turn } from './cs/turn';
import { variations } from './cs/variations';

export const cs: Record<string, string> = {
  ...analysis, ...home, ...game, ...turn, ...report, ...settings, ...tournament, ...errors, ...guide, ...hints, ...opponents, ...library, ...editor, ...multiplayer, ...variations, ...bots,
};
