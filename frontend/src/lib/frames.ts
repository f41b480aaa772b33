// When to do what takes a good part of a frame's time.

const HIDDEN = 100; // milliseconds that a page waits that is not drawn

/** Do it right after a frame: what it changes has until the next one. A hidden page has no frames and does it soon. */
export function afterFrame(what: () => void): void {
  let timer = 0;
  const once = (): void => {
    cancelAnimationFrame(frame);
    clearTimeout(timer);
    what();
  };
  const frame = requestAnimationFrame(() => {
    clearTimeout(timer);
    timer = window.setTimeout(once);
  });
  timer = window.setTimeout(once, HIDDEN);
}

/** For `use:`: what has just come has the focus. */
export const focused = (node: HTMLElement): void => node.focus();
