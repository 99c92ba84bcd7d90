import type { ItemOf } from '@bailiwick/client/client.ts';
import type { Column } from '../parts/cursor-list.tsx';
import { DialogButton } from '../parts/dialog-button.tsx';
import { Empty } from '../parts/empty.tsx';
import { ListView } from '../parts/list-view.tsx';
import { NameCell } from '../parts/name-cell.tsx';
import { Page } from '../parts/page.tsx';
import { StateOf, type States } from '../parts/state.tsx';
import { useTexts } from '../parts/texts.tsx';
import { Time } from '../parts/time.tsx';
import { useTenant } from '../shell/routes.tsx';
import {
  ClaimDialog,
  captures,
  DeleteDomain,
  EditDialog,
  RecordDialog,
} from './domain-dialogs.tsx';

type Domain = ItemOf<'Domain_List'>;

const statuses: States = {
  pending: { text: 'signon.pending', color: 'accent.7' },
  verified: { text: 'signon.verified', color: 'teal.9' },
  lapsed: { text: 'signon.lapsed', color: 'red.9' },
  failed: { text: 'signon.failed', color: 'orange.9' },
};

/** The domains of a tenant, with the records that prove them. */
export function DomainsPage() {
  const { t } = useTexts();
  const { ID, Name, may } = useTenant();
  const mayWrite = may('iam.domains.write');
  const named = (text: string) => ({ text, label: ({ Name }: Domain) => `${text}: ${Name}` });
  return (
    <Page
      isList
      title={t('signon.domains')}
      description={t('signon.domainsAbout', { tenant: Name })}
      actions={
        mayWrite && (
          <DialogButton
            text={t('signon.addDomain')}
            icon="plus"
            dialog={(onClose) => <ClaimDialog onClose={onClose} />}
          />
        )
      }
    >
      <ListView
        operation="Domain_List"
        request={{ Tenant: ID }}
        label={t('signon.domains')}
        columns={useColumns()}
        idOf={({ ID }) => ID}
        actions={[
          {
            ...named(t('signon.record')),
            dialog: (domain, onClose) => (
              <RecordDialog domain={domain} mayCheck={mayWrite} onClose={onClose} />
            ),
          },
          {
            ...named(t('signon.edit')),
            may: mayWrite,
            dialog: (domain, onClose) => <EditDialog domain={domain} onClose={onClose} />,
          },
          {
            ...named(t('signon.delete')),
            may: mayWrite,
            dialog: (domain, onClose) => <DeleteDomain domain={domain} onClose={onClose} />,
          },
        ]}
        empty={
          <Empty
            icon="globe"
            title={t('signon.noDomains')}
            description={t('signon.noDomainsAbout')}
          />
        }
      />
    </Page>
  );
}

function useColumns(): Column<Domain>[] {
  const { t } = useTexts();
  return [
    { id: 'name', header: t('signon.domain'), cell: ({ Name }) => <NameCell name={Name} /> },
    {
      id: 'status',
      header: t('signon.state'),
      cell: ({ Status }) => <StateOf states={statuses} state={Status} />,
    },
    {
      id: 'capture',
      header: t('signon.capture'),
      isSecondary: true,
      cell: ({ Capture }) => t(captures[Capture] ?? 'signon.captureOff'),
    },
    {
      id: 'checked',
      header: t('signon.checked'),
      isSecondary: true,
      cell: ({ LastCheckedAt }) => <Time at={LastCheckedAt} />,
    },
  ];
}
