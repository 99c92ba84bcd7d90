import { useEffect, useRef, useState } from 'react';

type Tip = { text: string; top: number };

const isCut = ({ scrollWidth, clientWidth }: Element) => scrollWidth > clientWidth;

/** The innermost elements of a row whose text is cut off. */
function cutIn(row: Element): HTMLElement[] {
  const cut = [...row.querySelectorAll<HTMLElement>('td, td *')].filter(isCut);
  return cut.filter(
    (element) => !cut.some((other) => other !== element && element.contains(other)),
  );
}

/** Gives the cut elements of a row their titles. One whose text fits again loses it. */
function nameCutIn(row: Element) {
  for (const element of row.querySelectorAll<HTMLElement>('[data-cut]')) {
    element.removeAttribute('title');
    element.removeAttribute('data-cut');
  }
  for (const element of cutIn(row).filter(({ title }) => title === '')) {
    element.title = element.textContent ?? '';
    element.dataset['cut'] = '';
  }
}

const rowOf = (target: EventTarget | null) =>
  target instanceof Element ? target.closest('tbody tr') : null;

/**
 * Shows the whole texts of a list that its rows cut off: to the pointer as titles, and below the row
 * that has the focus of the keyboard. It is beside the list, which so renders nothing for it.
 */
export function FullText() {
  const root = useRef<HTMLDivElement>(null);
  const [tip, setTip] = useState<Tip>();
  useEffect(() => {
    const list = root.current?.parentElement;
    const hide = () => setTip(undefined);
    const onOver = ({ target }: MouseEvent) => {
      const row = rowOf(target);
      if (row) nameCutIn(row);
    };
    const onFocus = ({ target }: FocusEvent) => {
      const row = rowOf(target);
      if (!list || !row || !(target as Element).matches(':focus-visible')) return hide();
      const text = cutIn(row).map(({ textContent }) => textContent);
      const top = row.getBoundingClientRect().bottom - list.getBoundingClientRect().top;
      setTip(text.length > 0 ? { text: text.join(' · '), top } : undefined);
    };
    const onKey = ({ key }: KeyboardEvent) => {
      if (key === 'Escape') hide();
    };
    list?.addEventListener('mouseover', onOver);
    list?.addEventListener('focusin', onFocus);
    list?.addEventListener('focusout', hide);
    list?.addEventListener('keydown', onKey);
    window.addEventListener('resize', hide);
    return () => {
      list?.removeEventListener('mouseover', onOver);
      list?.removeEventListener('focusin', onFocus);
      list?.removeEventListener('focusout', hide);
      list?.removeEventListener('keydown', onKey);
      window.removeEventListener('resize', hide);
    };
  }, []);
  return (
    // Screen readers read the whole text in the row.
    <div ref={root} aria-hidden="true">
      {tip && (
        <div className="console-full-text" style={{ top: tip.top }}>
          {tip.text}
        </div>
      )}
    </div>
  );
}
