// Storage in this browser, or in memory if the browser's storage is forbidden or full.

const memory = new Map<string, string>();
const here = new Map<string, string>();

export function loadItem(key: string): string | null {
  try {
    return localStorage.getItem(key) ?? memory.get(key) ?? null;
  } catch {
    return memory.get(key) ?? null;
  }
}

/** Data stored as JSON; null if there is none or it cannot be read. */
export function loadData(key: string): unknown {
  try {
    return JSON.parse(loadItem(key) ?? 'null');
  } catch {
    return null;
  }
}

export function saveItem(key: string, value: string): void {
  try {
    localStorage.setItem(key, value);
    memory.delete(key);
  } catch {
    memory.set(key, value);
  }
}

/** Store an item for this tab only, which has priority over the browser's item and survives a reload. */
export function saveTabItem(key: string, value: string): void {
  here.set(key, value);
  try {
    sessionStorage.setItem(key, value);
  } catch {
    // then only the memory has it
  }
}

export function loadTabData(key: string): unknown {
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
    // then the browser stored nothing
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
