import { useState } from 'react';
import { AddressField, useSubjectOf } from '../grants/address-field.tsx';
import { FormDialog } from '../parts/form-dialog.tsx';
import { useTexts } from '../parts/texts.tsx';
import { useTenant } from '../shell/routes.tsx';

/** Adds a user who has an account already. The membership waits until the user accepts it. */
export function AddMemberDialog({ onClose }: { onClose: () => void }) {
  const { t } = useTexts();
  const { ID: Tenant } = useTenant();
  const [text, setText] = useState('');
  const { id, isUnknown } = useSubjectOf(text);
  return (
    <FormDialog
      onClose={onClose}
      title={t('people.addExisting')}
      operation="TenantMembers_Add"
      initial={{ user: '' }}
      check={() => ({ user: id === '' ? t('people.userMissing') : null })}
      toRequest={() => ({ Tenant, UserID: id })}
      stale={['TenantMembers_List']}
      notice={t('people.added')}
      submit={t('people.add')}
    >
      {({ errors }) => (
        <AddressField
          label={t('people.user')}
          description={t('people.addAbout')}
          value={text}
          onChange={setText}
          isUnknown={false}
          error={isUnknown ? t('people.unknownUser') : errors['user']}
          suggests={false}
        />
      )}
    </FormDialog>
  );
}
