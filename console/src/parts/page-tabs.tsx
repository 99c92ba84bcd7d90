import { Stack, Tabs } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import type { ReactNode } from 'react';

type Props = {
  label: string;
  /** The address of the view. */
  current: string;
  /** The views, by their addresses. */
  tabs: ReadonlyArray<{ to: string; text: string }>;
  children: ReactNode;
};

/** The way between views that belong together. A view that is alone has no tabs. */
export function PageTabs({ label, current, tabs, children }: Props) {
  const navigate = useNavigate();
  if (tabs.length < 2) return children;
  return (
    <Tabs
      value={current}
      onChange={(to) => void navigate({ to: to ?? current })}
      activateTabWithKeyboard={false}
    >
      <Tabs.List aria-label={label}>
        {tabs.map(({ to, text }) => (
          <Tabs.Tab key={to} value={to}>
            {text}
          </Tabs.Tab>
        ))}
      </Tabs.List>
      <Tabs.Panel value={current} pt="lg">
        <Stack gap="lg">{children}</Stack>
      </Tabs.Panel>
    </Tabs>
  );
}
