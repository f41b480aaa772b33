// Czech, by the English that stands in the code; both are ICU messages.
import { guide } from './cs/guide';

export const cs: Record<string, string> = { ...guide };
