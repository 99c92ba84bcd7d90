import { Text } from '@mantine/core';
import { usePartCursor } from '../parts/cursor.ts';
import { DialogButton } from '../parts/dialog-button.tsx';
import { ListView } from '../parts/list-view.tsx';
import { NameCell } from '../parts/name-cell.tsx';
import { PageSection } from '../parts/page-section.tsx';
import { useTexts } from '../parts/texts.tsx';
import { useTenant } from '../shell/routes.tsx';
import { AddGroupDialog } from './group-dialogs.tsx';

/** The groups below a group, whose members have its roles too. */
export function Subgroups({ path }: { path: string }) {
  const { t } = useTexts();
  const { ID: Tenant, Slug, may } = useTenant();
  const place = usePartCursor();
  return (
    <PageSection
      title={t('access.subgroups')}
      actions={
        may('iam.groups.write') && (
          <DialogButton
            text={t('access.addSubgroup')}
            dialog={(onClose) => <AddGroupDialog above={path} onClose={onClose} />}
          />
        )
      }
    >
      <ListView
        operation="Groups_ListByTenant"
        // A search finds the path in other places too, and compares only the first 64 characters.
        request={{ Tenant, Query: `${path}/`.slice(0, 128), Sort: 'path' }}
        label={t('access.subgroups')}
        columns={[
          {
            id: 'group',
            header: t('access.group'),
            cell: ({ Path, Name }) => (
              <NameCell
                name={Name || Path}
                to={`/console/t/${Slug}/groups?group=${encodeURIComponent(Path)}`}
                {...(Name !== '' && { detail: Path })}
              />
            ),
          },
        ]}
        idOf={({ ID }) => ID}
        isShown={({ Path }) => Path.startsWith(`${path}/`)}
        place={place}
        limit={100}
        empty={<Text size="sm">{t('access.noSubgroups')}</Text>}
      />
    </PageSection>
  );
}
