// Dialogs are mounted while they are open. Mantine returns the focus of a mounted dialog that closes,
// and not of one that is unmounted.

let opener: HTMLElement | undefined;

/** The element, and those around it, inside first. */
function wayOutOf(element: HTMLElement | undefined): HTMLElement[] {
  const way: HTMLElement[] = [];
  for (let at: HTMLElement | null | undefined = element; at; at = at.parentElement) way.push(at);
  return way;
}

/** The element that takes the focus in place of one that the dialog has removed: its list, or its view. */
function placeLeftOf(way: readonly HTMLElement[]): HTMLElement | null {
  for (const element of way.filter(({ isConnected }) => isConnected)) {
    const list = element.closest<HTMLElement>('.console-list');
    const place = list ?? element.querySelector<HTMLElement>('.console-list, h1[tabindex]');
    if (place) return place;
  }
  return null;
}

/**
 * The ref of every dialog: when it is gone, the element that opened it gets the focus back, unless
 * the focus is elsewhere already or another dialog is open.
 */
export function returnFocus(): () => void {
  const { activeElement, body } = document;
  // A dialog that follows another one has the same opener.
  if (activeElement instanceof HTMLElement && activeElement !== body) opener = activeElement;
  const own = opener;
  const way = wayOutOf(own);
  return () => {
    setTimeout(() => {
      const open = [...document.querySelectorAll('[aria-modal="true"]')].at(-1);
      const place = own?.isConnected ? own : placeLeftOf(way);
      const isFree = document.activeElement === document.body;
      if (isFree && place && (!open || open.contains(place))) place.focus({ preventScroll: true });
    });
  };
}
