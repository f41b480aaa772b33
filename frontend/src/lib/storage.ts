// What this browser keeps; where storage is forbidden or full, as long as the page lives.

const memory = new Map<string, string>();
const here = new Map<string, string>();

export function kept(key: string): string | null {
  try {
    return localStorage.getItem(key) ?? memory.get(key) ?? null;
  } catch {
    return memory.get(key) ?? null;
  }
}

/** Data kept as JSON; null where there is none, or what is there is not ours. */
export function keptData(key: string): unknown {
  try {
    return JSON.parse(kept(key) ?? 'null');
  } catch {
    return null;
  }
}

export function keep(key: string, value: string): void {
  try {
    localStorage.setItem(key, value);
    memory.delete(key);
  } catch {
    memory.set(key, value);
  }
}

/** The same for this tab alone, over what the browser keeps; it survives a reload. */
export function keepHere(key: string, value: string): void {
  here.set(key, value);
  try {
    sessionStorage.setItem(key, value);
  } catch {
    // then it lives as long as the page
  }
}

export function keptHere(key: string): unknown {
  try {
    return JSON.parse(sessionStorage.getItem(key) ?? here.get(key) ?? 'null');
  } catch {
    return null;
  }
}

export function drop(key: string): void {
  memory.delete(key);
  try {
    localStorage.removeItem(key);
  } catch {
    // then it was never there
  }
}

export function keysFrom(prefix: string): string[] {
  let stored: string[] = [];
  try {
    stored = Object.keys(localStorage);
  } catch {
    // only what is in memory
  }
  return [...new Set([...stored, ...memory.keys()])].filter((key) => key.startsWith(prefix));
}
