import type { ItemOf } from '@bailiwick/client/client.ts';
import { Text } from '@mantine/core';
import { nameOfDevice, useSessionColumns } from '../account/sessions-page.tsx';
import { useCall } from '../parts/calls.ts';
import { usePartCursor } from '../parts/cursor.ts';
import { CursorList } from '../parts/cursor-list.tsx';
import { DialogButton } from '../parts/dialog-button.tsx';
import { ListView } from '../parts/list-view.tsx';
import { NameCell } from '../parts/name-cell.tsx';
import { PageSection } from '../parts/page-section.tsx';
import { SameByApi } from '../parts/same-by-api.tsx';
import { useTexts } from '../parts/texts.tsx';
import { Time } from '../parts/time.tsx';
import { UserAct } from './user-acts.tsx';

type User = { ID: string; Email: string };
type Session = ItemOf<'Users_ListSessions'>;
/** `mayAct`: whether the operator may end sessions of this user. */
type Props = { user: User; mayAct: boolean };

/** Where a user is signed in. */
export function UserSessions({ user, mayAct }: Props) {
  const { t } = useTexts();
  // The names of the methods address the user.
  const columns = useSessionColumns().filter(({ id }) => id !== 'method');
  return (
    <PageSection
      title={t('account.sessions')}
      actions={
        mayAct && (
          <DialogButton
            text={t('account.endAll')}
            dialog={(onClose) => <UserAct name="endSessions" user={user} onClose={onClose} />}
          />
        )
      }
    >
      <ListView
        operation="Users_ListSessions"
        request={{ UserID: user.ID }}
        label={t('account.sessions')}
        columns={columns}
        idOf={({ ID }) => ID}
        actions={[
          {
            text: t('account.end'),
            label: (session: Session) => t('account.endOf', { device: nameOfDevice(session, t) }),
            may: mayAct,
            dialog: ({ ID }: Session, onClose: () => void) => (
              <UserAct name="endSession" user={user} request={{ ID }} onClose={onClose} />
            ),
          },
        ]}
        place={usePartCursor()}
        limit={10}
        empty={<Text c="dimmed">{t('platform.noSessions')}</Text>}
      />
    </PageSection>
  );
}

/** The second steps of a user: their kind and since when, and nothing secret. */
export function UserFactors({ id }: { id: string }) {
  const { t } = useTexts();
  const request = { UserID: id };
  const { data, error, refetch } = useCall('Users_ListFactors', request);
  const codes = data?.RecoveryCodesLeft ?? 0;
  return (
    <PageSection title={t('platform.secondSteps')}>
      <CursorList
        label={t('platform.secondSteps')}
        columns={[
          {
            id: 'name',
            header: t('account.name'),
            cell: ({ Kind, Name }) => (
              <NameCell
                name={Name}
                detail={t(Kind === 'totp' ? 'platform.factorApp' : 'method.passkey')}
              />
            ),
          },
          {
            id: 'since',
            header: t('platform.roleSince'),
            cell: ({ CreatedAt }) => <Time at={CreatedAt} />,
          },
          {
            id: 'used',
            header: t('platform.signedIn'),
            isSecondary: true,
            cell: ({ LastUsedAt }) => <Time at={LastUsedAt} />,
          },
        ]}
        idOf={({ ID }) => ID}
        page={data && { items: data.Factors, next: '' }}
        isChanging={false}
        error={error}
        onRetry={() => void refetch()}
        {...usePartCursor()}
        empty={<Text c="dimmed">{t('platform.noFactors')}</Text>}
      />
      {codes > 0 && <Text size="sm">{t('platform.codesLeft', { count: String(codes) })}</Text>}
      <SameByApi operation="Users_ListFactors" request={request} />
    </PageSection>
  );
}
