import { ActionIcon, Button, Kbd } from '@mantine/core';
import { useDisclosure, useWindowEvent } from '@mantine/hooks';
import { lazy, Suspense } from 'react';
import { Icon, type IconName } from '../parts/icon.tsx';
import { useTexts } from '../parts/texts.tsx';
import type { NavigationGroup } from './views.ts';

export type NavigationItem = {
  to: string;
  text: string;
  icon: IconName;
  group?: NavigationGroup;
};

const SpotlightDialog = lazy(async () => ({
  default: (await import('./spotlight-dialog.tsx')).SpotlightDialog,
}));

type Props = {
  /** The views of the frame. */
  pages: readonly NavigationItem[];
  /** The slug of the tenant whose records are found. */
  tenant: string | undefined;
};

/** The search over views and records: a button, the key `/`, and ⌘K or Ctrl+K. */
export function Spotlight(props: Props) {
  const { t } = useTexts();
  const [isOpen, { open, close }] = useDisclosure(false);
  useWindowEvent('keydown', (event) => {
    if (!isShortcut(event) || document.querySelector('[aria-modal="true"]')) return;
    event.preventDefault();
    open();
  });
  const shortcuts = { 'aria-keyshortcuts': '/ Meta+K Control+K', onClick: open };
  return (
    <>
      <Button
        variant="default"
        size="xs"
        leftSection={<Icon name="search" size={16} />}
        rightSection={<Kbd size="xs">/</Kbd>}
        visibleFrom="sm"
        {...shortcuts}
      >
        {t('search.open')}
      </Button>
      <ActionIcon
        variant="subtle"
        color="gray"
        size={34}
        hiddenFrom="sm"
        aria-label={t('search.open')}
        {...shortcuts}
      >
        <Icon name="search" />
      </ActionIcon>
      {isOpen && (
        <Suspense>
          <SpotlightDialog {...props} onClose={close} />
        </Suspense>
      )}
    </>
  );
}

/** By the typed character and not by the key: on many keyboards `/` is on another key. */
function isShortcut({ key, metaKey, ctrlKey, altKey, target }: KeyboardEvent): boolean {
  if (altKey) return false;
  if (metaKey || ctrlKey) return key.toLowerCase() === 'k';
  const isTyping = target instanceof HTMLElement && target.matches('input, textarea, select');
  return key === '/' && !isTyping;
}
