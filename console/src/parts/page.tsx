import { Anchor, Stack, Text, Title } from '@mantine/core';
import { useDocumentTitle } from '@mantine/hooks';
import { Link, useRouterState } from '@tanstack/react-router';
import { createContext, type ReactNode, useContext, useEffect, useRef } from 'react';
import { serviceName } from './brand.tsx';
import { useApiCalls } from './same-by-api.tsx';

type Props = {
  title: string;
  /** The list that the view belongs to. */
  back?: { to: string; text: string };
  /** The name of the record, if the search of the address and not its path names it. */
  record?: string;
  description?: ReactNode;
  actions?: ReactNode;
  /** Whether the view is a list, which takes the width that there is. */
  isList?: boolean;
  children: ReactNode;
};

/** The tenant's name, for the titles of its views. */
export const TenantName = createContext('');

/** The overview is called like its tenant: no name is twice in a title. */
const titleOf = (names: readonly string[]) =>
  [...new Set(names)].filter((name) => name !== '').join(' · ');

/** A view: its title, its purpose, its buttons and its content. */
export function Page({ title, back, record = '', description, actions, ...content }: Props) {
  const { isList = false, children } = content;
  useDocumentTitle(titleOf([title, useContext(TenantName), serviceName]));
  const heading = useFocusOnArrival(record);
  const calls = useApiCalls(record);
  return calls.within(
    <Stack gap="lg" {...(!isList && { maw: 1040 })}>
      <div className="console-page-head">
        <div>
          {back && (
            <Anchor component={Link} to={back.to} size="sm">
              ← {back.text}
            </Anchor>
          )}
          <Title order={1} size="h2" ref={heading} tabIndex={-1}>
            {title}
          </Title>
          {description !== undefined && (
            <Text c="dimmed" mt={4}>
              {description}
            </Text>
          )}
        </div>
        {calls.button}
        {actions && <div className="console-page-actions">{actions}</div>}
      </div>
      {children}
    </Stack>,
  );
}

let lastPlace: string | undefined;

/**
 * The heading of a view that the user has gone to gets the focus, so that a screen reader says where
 * the user is, and the Tab key goes on from there. Filters of the same view move no focus.
 */
function useFocusOnArrival(record: string) {
  const heading = useRef<HTMLHeadingElement>(null);
  // The resolved location: the former view is still shown while the next one is loading.
  const pathname = useRouterState({
    select: ({ resolvedLocation, location }) => (resolvedLocation ?? location).pathname,
  });
  const place = `${pathname} ${record}`;
  useEffect(() => {
    if (lastPlace !== undefined && lastPlace !== place)
      heading.current?.focus({ preventScroll: true });
    lastPlace = place;
  }, [place]);
  return heading;
}
