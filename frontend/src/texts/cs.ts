// Czech, by the English that stands in the code; both are ICU messages. A region is "území", a super region "kontinent".
import { game } from './cs/game';
import { home } from './cs/home';
import { lesson } from './cs/lesson';
import { library } from './cs/library';
import { opponents } from './cs/opponents';
import { report } from './cs/report';
import { settings } from './cs/settings';
import { tournament } from './cs/tournament';
import { trouble } from './cs/trouble';
import { turn } from './cs/turn';

export const cs: Record<string, string> = { ...home, ...game, ...turn, ...report, ...settings, ...tournament, ...trouble, ...lesson, ...opponents, ...library };
