// Scheduling of work that would delay the next frame.

const HIDDEN = 100; // milliseconds after which the work starts if the page is hidden and has no frames

/**
 * Call `callback` directly after the next frame, so that its work has the whole time until the following frame. A hidden
 * page has no frames; there `callback` is called after `HIDDEN` milliseconds.
 */
export function afterFrame(callback: () => void): void {
  let timer = 0;
  const once = (): void => {
    cancelAnimationFrame(frame);
    clearTimeout(timer);
    callback();
  };
  const frame = requestAnimationFrame(() => {
    clearTimeout(timer);
    timer = window.setTimeout(once);
  });
  timer = window.setTimeout(once, HIDDEN);
}

/** For `use:`: focus an element when it is added to the page. */
export const focused = (node: HTMLElement): void => node.focus();
