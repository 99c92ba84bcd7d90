import { NavLink, Stack } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useEffect, useId, useRef, useState } from 'react';
import { Icon } from '../parts/icon.tsx';
import { useTexts } from '../parts/texts.tsx';
import type { NavigationItem } from './spotlight.tsx';
import { type NavigationGroup, navigationGroups } from './views.ts';

type Section = { group: NavigationGroup | undefined; items: NavigationItem[] };

/** The items in their order, with those of a group together. */
function sectionsOf(items: readonly NavigationItem[]): Section[] {
  const sections: Section[] = [];
  for (const item of items) {
    const last = sections.at(-1);
    if (last && item.group !== undefined && last.group === item.group) last.items.push(item);
    else sections.push({ group: item.group, items: [item] });
  }
  // A group of one is that one.
  return sections.map(({ group, items }) => ({
    group: items.length > 1 ? group : undefined,
    items,
  }));
}

type Props = { items: readonly NavigationItem[]; current: NavigationItem | undefined };

/** The navigation. One group is open at a time, so that all of it is in sight. */
export function NavigationList({ items, current }: Props) {
  const sections = sectionsOf(items);
  const groups = sections.flatMap(({ group }) => (group === undefined ? [] : [group]));
  const home = current?.group ?? groups[0];
  const [chosen, setChosen] = useState<{ home: typeof home; open: typeof home }>();
  // A view of another group opens that group.
  const open = chosen && chosen.home === home ? chosen.open : home;
  return (
    <Stack gap={2}>
      {sections.map(({ group, items: [first, ...others] }) => {
        if (!first) return undefined;
        if (group === undefined)
          return <FrameLink key={first.to} item={first} isCurrent={first === current} hasIcon />;
        return (
          <GroupLinks
            key={group}
            group={group}
            items={[first, ...others]}
            current={current}
            isOpen={group === open}
            onToggle={() => setChosen({ home, open: group === open ? undefined : group })}
          />
        );
      })}
    </Stack>
  );
}

type GroupProps = Props & { group: NavigationGroup; isOpen: boolean; onToggle: () => void };

function GroupLinks({ group, items, current, isOpen, onToggle }: GroupProps) {
  const { t } = useTexts();
  const id = useId();
  const { text, icon } = navigationGroups[group];
  return (
    <div>
      <NavLink
        component="button"
        type="button"
        label={t(text)}
        leftSection={<Icon name={icon} />}
        rightSection={
          <span className="console-group-mark" data-open={isOpen || undefined}>
            <Icon name="chevron" size={16} />
          </span>
        }
        aria-expanded={isOpen}
        aria-controls={id}
        onClick={onToggle}
        style={{ borderRadius: 'var(--mantine-radius-md)' }}
      />
      <Stack gap={2} id={id} hidden={!isOpen}>
        {isOpen &&
          items.map((item) => <FrameLink key={item.to} item={item} isCurrent={item === current} />)}
      </Stack>
    </div>
  );
}

type LinkProps = { item: NavigationItem; isCurrent: boolean; hasIcon?: boolean };

function FrameLink({ item, isCurrent, hasIcon = false }: LinkProps) {
  const link = useRef<HTMLAnchorElement>(null);
  useEffect(() => {
    if (isCurrent) link.current?.scrollIntoView({ block: 'nearest' });
  }, [isCurrent]);
  return (
    <NavLink
      ref={link}
      component={Link}
      to={item.to}
      label={item.text}
      {...(hasIcon && { leftSection: <Icon name={item.icon} /> })}
      activeOptions={{ exact: true }}
      active={isCurrent}
      style={{ borderRadius: 'var(--mantine-radius-md)', ...(!hasIcon && { paddingLeft: 40 }) }}
    />
  );
}
