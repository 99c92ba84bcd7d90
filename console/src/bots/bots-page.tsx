import type { ItemOf } from '@bailiwick/client/client.ts';
import { useNavigate } from '@tanstack/react-router';
import type { Column } from '../parts/cursor-list.tsx';
import { DialogButton } from '../parts/dialog-button.tsx';
import { Empty } from '../parts/empty.tsx';
import { ListView } from '../parts/list-view.tsx';
import { NameCell } from '../parts/name-cell.tsx';
import { Page } from '../parts/page.tsx';
import { useTexts } from '../parts/texts.tsx';
import { Time } from '../parts/time.tsx';
import { useTenant } from '../shell/routes.tsx';
import { BotDialog } from './bot-dialog.tsx';
import { StateBadge } from './state-badge.tsx';

type Bot = ItemOf<'Bots_List'>;

export function BotsPage() {
  const { t } = useTexts();
  const { ID, Slug, Name, may } = useTenant();
  const navigate = useNavigate();
  const onSaved = ({ ID: bot }: { ID: string }) =>
    void navigate({ to: `/console/t/${Slug}/bots/${bot}` });
  return (
    <Page
      isList
      title={t('bots.bots')}
      description={t('bots.about', { tenant: Name })}
      actions={
        may('iam.bots.write') && (
          <DialogButton
            text={t('bots.create')}
            icon="plus"
            dialog={(onClose) => <BotDialog onClose={onClose} onSaved={onSaved} />}
          />
        )
      }
    >
      <ListView
        operation="Bots_List"
        request={{ Tenant: ID }}
        label={t('bots.bots')}
        filters={{
          label: t('bots.search'),
          choices: [
            {
              name: 'status',
              label: t('bots.state'),
              values: [
                { value: 'active', label: t('bots.active') },
                { value: 'disabled', label: t('bots.disabled') },
              ],
            },
          ],
        }}
        columns={useColumns()}
        idOf={({ ID }) => ID}
        empty={<Empty icon="bot" title={t('bots.none')} description={t('bots.noneAbout')} />}
      />
    </Page>
  );
}

function useColumns(): Column<Bot>[] {
  const { t } = useTexts();
  const { Slug } = useTenant();
  return [
    {
      id: 'name',
      sort: 'name',
      header: t('bots.name'),
      cell: ({ ID, Name, Description }) => (
        <NameCell name={Name} to={`/console/t/${Slug}/bots/${ID}`} detail={Description} />
      ),
    },
    {
      id: 'state',
      header: t('bots.state'),
      cell: ({ Active }) => <StateBadge state={Active ? 'active' : 'disabled'} />,
    },
    {
      id: 'used',
      header: t('bots.used'),
      isSecondary: true,
      cell: ({ LastUsedAt }) => (LastUsedAt ? <Time at={LastUsedAt} /> : t('bots.never')),
    },
    {
      id: 'created',
      sort: 'created',
      header: t('bots.created'),
      isSecondary: true,
      cell: ({ CreatedAt }) => <Time at={CreatedAt} />,
    },
  ];
}
