import { NativeSelect } from '@mantine/core';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { GrantDialog } from '../grants/grant-dialog.tsx';
import { type Holder, holders, holderTexts } from '../grants/grant-kinds.ts';
import { GrantList } from '../grants/grant-list.tsx';
import { useCursor } from '../parts/cursor.ts';
import { DialogButton } from '../parts/dialog-button.tsx';
import { Empty } from '../parts/empty.tsx';
import { Page } from '../parts/page.tsx';
import { useTexts } from '../parts/texts.tsx';
import { useTenant } from '../shell/routes.tsx';

/** The roles of people, groups and bots. */
export function GrantsPage() {
  const { t } = useTexts();
  const { may } = useTenant();
  const navigate = useNavigate();
  const { of = 'people' }: { of?: Holder } = useSearch({ strict: false });
  const { cursor } = useCursor();
  const go = (next: Holder, at = '') =>
    void navigate({ to: '.', search: { of: next, ...(at !== '' && { cursor: at }) } as never });
  const mayWrite = may('iam.grants.write');
  return (
    <Page
      title={t('access.grants')}
      description={t('access.grantsAbout')}
      actions={
        mayWrite && (
          <DialogButton
            text={t('access.addGrant')}
            icon="plus"
            dialog={(onClose) => <GrantDialog of={of} onClose={onClose} />}
          />
        )
      }
    >
      <NativeSelect
        label={t('access.rolesOf')}
        maw={240}
        value={of}
        onChange={(event) => go(event.currentTarget.value as Holder)}
        data={holders.map((holder) => ({ value: holder, label: t(holderTexts[holder]) }))}
      />
      <GrantList
        selection={{ of, holder: '', role: '' }}
        place={{ cursor, onCursor: (next) => go(of, next) }}
        empty={
          <Empty icon="shield" title={t('access.noGrants')} description={t('access.grantsAbout')} />
        }
      />
    </Page>
  );
}
