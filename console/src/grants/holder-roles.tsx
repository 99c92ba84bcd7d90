import { Text } from '@mantine/core';
import { usePartCursor } from '../parts/cursor.ts';
import { DialogButton } from '../parts/dialog-button.tsx';
import { PageSection } from '../parts/page-section.tsx';
import { useTexts } from '../parts/texts.tsx';
import { useTenant } from '../shell/routes.tsx';
import { GrantDialog } from './grant-dialog.tsx';
import type { Holder } from './grant-kinds.ts';
import { GrantList } from './grant-list.tsx';

/** The roles that a person, a group or a bot has directly. */
export function HolderRoles({ of, holder }: { of: Holder; holder: string }) {
  const { t } = useTexts();
  const { may } = useTenant();
  const place = usePartCursor();
  return (
    <PageSection
      title={t('access.roles')}
      {...(of === 'people' && { description: t('access.rolesDirect') })}
      actions={
        may('iam.grants.write') && (
          <DialogButton
            text={t('access.addGrant')}
            dialog={(onClose) => <GrantDialog of={of} fixedHolder={holder} onClose={onClose} />}
          />
        )
      }
    >
      <GrantList
        selection={{ of, holder, role: '' }}
        hides="holder"
        place={place}
        empty={<Text size="sm">{t('access.noRoles')}</Text>}
      />
    </PageSection>
  );
}
