// Czech, by the English that stands in the code; both are ICU messages.
import { guide } from './cs/guide';
import { hints } from './cs/hints';

export const cs: Record<string, string> = { ...guide, ...hints };
