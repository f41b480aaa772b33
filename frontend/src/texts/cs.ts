// Czech, by the English that stands in the code; both are ICU messages.
export const cs: Record<string, string> = {};
