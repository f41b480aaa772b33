// The address after `#` as a path and query parameters. Every screen and position has an address.

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part; // the address contains a `%` without two hexadecimal digits
  }
}

function read(): { path: string[]; query: URLSearchParams } {
  const [path, query] = location.hash.replace(/^#\/?/, '').split('?');
  return { path: path.split('/').filter(Boolean).map(decoded), query: new URLSearchParams(query) };
}

class Route {
  path = $state<string[]>([]);
  query = $state(new URLSearchParams());

  constructor() {
    this.update();
    window.addEventListener('hashchange', () => this.update());
  }

  private update(): void {
    ({ path: this.path, query: this.query } = read());
  }

  go(path: string): void {
    location.hash = `/${path}`;
  }

  /** Set query parameters without a new entry in the browser's history. */
  set(values: Record<string, string | number | null>): void {
    if (location.protocol === 'about:') return; // the page is a frame in a notebook, which has no address
    const { query } = read();
    for (const [name, value] of Object.entries(values)) {
      if (value === null || value === '') query.delete(name);
      else query.set(name, String(value));
    }
    const text = query.toString();
    const next = `#/${this.path.map(encodeURIComponent).join('/')}${text ? `?${text}` : ''}`;
    if (next !== location.hash) history.replaceState(null, '', next);
  }
}

export const route = new Route();
