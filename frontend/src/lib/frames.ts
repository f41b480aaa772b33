// When to do what takes a good part of a frame's time.

const HIDDEN = 100; // milliseconds that a page waits that is not drawn

/** Do it right after a frame: what it changes has until the next one. A hidden page has no frames and does it soon. */
export function afterFrame(what: () => void): void {
  let done = false;
  const once = (): void => {
    if (done) return;
    done = true;
    what();
  };
  requestAnimationFrame(() => setTimeout(once));
  setTimeout(once, HIDDEN);
}
