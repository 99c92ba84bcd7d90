import { useState } from 'react';
import { useAccount } from '../shell/session.tsx';
import { useScope } from './scope.ts';
import { parseViews, type SavedView } from './stored-views.ts';

// The views of the audit that a person has saved. The browser keeps them: the address of a view is
// what others get.

const most = 20;

const read = (key: string): SavedView[] => {
  try {
    return parseViews(localStorage.getItem(key) ?? '[]');
  } catch {
    return [];
  }
};

/** A browser may forbid the storage; then a view is kept until the page is left. */
function write(key: string, views: readonly SavedView[]): void {
  try {
    localStorage.setItem(key, JSON.stringify(views));
  } catch {
    return;
  }
}

export function useSavedViews() {
  const { tenant = 'platform' } = useScope();
  const { User } = useAccount();
  const key = `bailiwick_audit_views_${User.ID}_${tenant}`;
  const [views, setViews] = useState(() => read(key));
  const change = (next: SavedView[]) => {
    write(key, next);
    setViews(next);
  };
  return {
    views,
    save: (view: SavedView) =>
      change([view, ...views.filter(({ name }) => name !== view.name)].slice(0, most)),
    remove: (name: string) => change(views.filter((view) => view.name !== name)),
  };
}
