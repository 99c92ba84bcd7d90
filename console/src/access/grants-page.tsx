import { Group, NativeSelect } from '@mantine/core';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useEffect, useEffectEvent, useRef, useState } from 'react';
import { useSubjectOf } from '../grants/address-field.tsx';
import { GrantDialog, HolderField, RoleSelect } from '../grants/grant-dialog.tsx';
import { type Holder, holders, holderTexts } from '../grants/grant-kinds.ts';
import { GrantList } from '../grants/grant-list.tsx';
import { DialogButton } from '../parts/dialog-button.tsx';
import { Empty } from '../parts/empty.tsx';
import { NoMatch } from '../parts/list-filters.tsx';
import { Page } from '../parts/page.tsx';
import { useTexts } from '../parts/texts.tsx';
import { useTenant } from '../shell/routes.tsx';
import { AccessTabs } from './access-tabs.tsx';
import { type GrantSearch, readGrants } from './search.ts';

/** The roles of people, groups and bots, by holder and role. */
export function GrantsPage() {
  const { t } = useTexts();
  const { may } = useTenant();
  const { search, go } = useGrantSearch();
  const { of = 'people', holder = '', role = '', cursor = '' } = search;
  const isFiltered = holder !== '' || role !== '';
  return (
    <Page
      isList
      title={t('access.grants')}
      description={t('access.grantsAbout')}
      actions={
        may('iam.grants.write') && (
          <DialogButton
            text={t('access.addGrant')}
            icon="plus"
            dialog={(onClose) => <GrantDialog of={of} onClose={onClose} />}
          />
        )
      }
    >
      <AccessTabs current="roles/grants">
        <Filters />
        <GrantList
          selection={{ of, holder, role }}
          place={{ cursor, onCursor: (next) => go({ ...search, cursor: next }) }}
          empty={
            isFiltered ? (
              <NoMatch />
            ) : (
              <Empty
                icon="shield"
                title={t('access.noGrants')}
                description={t('access.grantsAbout')}
              />
            )
          }
        />
      </AccessTabs>
    </Page>
  );
}

/** The selection in the view's address, and the way to another one. */
function useGrantSearch() {
  const navigate = useNavigate();
  const search: GrantSearch = readGrants(useSearch({ strict: false }));
  const go = (next: GrantSearch, replace = false) =>
    void navigate({ to: '.', search: readGrants(next) as never, replace });
  return { search, go };
}

function Filters() {
  const { t } = useTexts();
  const { may } = useTenant();
  const { search, go } = useGrantSearch();
  const { of = 'people', holder = '', role = '' } = search;
  return (
    <Group role="search" align="start" gap="sm">
      <NativeSelect
        label={t('access.rolesOf')}
        value={of}
        onChange={(event) => go({ of: event.currentTarget.value as Holder, role })}
        data={holders.map((one) => ({ value: one, label: t(holderTexts[one]) }))}
      />
      <HolderFilter key={of} />
      {may('iam.roles.read') && (
        <RoleSelect value={role} onChange={(next) => go({ of, holder, role: next })} isFilter />
      )}
    </Group>
  );
}

/** The holder in the view's address. A person is found by the address while it is typed. */
function HolderFilter() {
  const { search, go } = useGrantSearch();
  const { of = 'people', holder = '', role = '' } = search;
  const [text, setText] = useState(holder);
  const subject = useSubjectOf(of === 'groups' ? '' : text);
  const chosen = of === 'groups' ? text : subject.id;
  // The holder that the text stands for. Any other one came with Back, Forward or a link.
  const known = useRef(holder);
  const show = useEffectEvent((next: string) => {
    if (next === known.current) return;
    known.current = next;
    setText(next);
  });
  // Another selection begins at the first page.
  const choose = useEffectEvent((next: string) => {
    if (next === known.current) return;
    known.current = next;
    go({ of, role, holder: next }, true);
  });
  useEffect(() => show(holder), [holder]);
  useEffect(() => choose(chosen), [chosen]);
  return (
    <HolderField of={of} value={text} onChange={setText} isUnknown={subject.isUnknown} isFilter />
  );
}
