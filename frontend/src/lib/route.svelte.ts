// The address after `#` as screen and parameters; everything that is shown can be linked to.

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part; // a stray %: an address typed by hand
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

  /** Parameters of the screen, without an entry in the browser's history. */
  set(values: Record<string, string | number | null>): void {
    if (location.protocol === 'about:') return; // a frame in a notebook has no address
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
