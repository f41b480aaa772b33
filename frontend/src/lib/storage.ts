// Storage in this browser; or in memory, if the browser forbids storage or its storage is full.

const memory = new Map<string, string>();
const tabMemory = new Map<string, string>();

export function loadItem(key: string): string | null {
  try {
    return localStorage.getItem(key) ?? memory.get(key) ?? null;
  } catch {
    return memory.get(key) ?? null;
  }
}

/** Return data stored as JSON; null if there is none or it is invalid. */
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

/** Store an item for this tab only. It has priority over the item of the browser and survives a reload. */
export function saveTabItem(key: string, value: string): void {
  tabMemory.set(key, value);
  try {
    sessionStorage.setItem(key, value);
  } catch {
    // the browser forbids storage; the item is in memory only
  }
}

export function loadTabData(key: string): unknown {
  try {
    return JSON.parse(sessionStorage.getItem(key) ?? tabMemory.get(key) ?? 'null');
  } catch {
    return null;
  }
}

export function dropTabItem(key: string): void {
  tabMemory.delete(key);
  try {
    sessionStorage.removeItem(key);
  } catch {
    // the browser forbids storage, so it has no item
  }
}

export function drop(key: string): void {
  memory.delete(key);
  try {
    localStorage.removeItem(key);
  } catch {
    // the browser forbids storage, so it has no item
  }
}

export function keysFrom(prefix: string): string[] {
  let stored: string[] = [];
  try {
    stored = Object.keys(localStorage);
  } catch {
    // the browser forbids storage; return the keys in memory
  }
  return [...new Set([...stored, ...memory.keys()])].filter((key) => key.startsWith(prefix));
}
