// Dialogs are mounted while they are open. Mantine returns the focus of a mounted dialog that closes,
// and not of one that is unmounted.

let opener: HTMLElement | undefined;

/**
 * The ref of every dialog: when it is gone, the element that opened it gets the focus back, unless
 * the focus is elsewhere already or another dialog is open.
 */
export function returnFocus(): () => void {
  const { activeElement, body } = document;
  // A dialog that follows another one has the same opener.
  if (activeElement instanceof HTMLElement && activeElement !== body) opener = activeElement;
  const own = opener;
  return () => {
    setTimeout(() => {
      const open = [...document.querySelectorAll('[aria-modal="true"]')].at(-1);
      const isFree = document.activeElement === document.body;
      if (isFree && own?.isConnected && (!open || open.contains(own))) own.focus();
    });
  };
}
