#!/bin/sh
# Makes fatura.env beside it, which only its owner may read: the domain, a password for each login to PostgreSQL, and the key of what is
# sealed. One that is there stays as it is.
set -euC
domain=${1:?the name that leads to this machine}
cd "$(dirname "$0")"
umask 077
values=$(
  echo "FATURA_DOMAIN=$domain"
  for login in POSTGRES TEMPORAL MIGRATOR API WORKER ADMIN AUDIT; do
    password=$(openssl rand -hex 24)
    echo "${login}_PASSWORD=$password"
  done
  key=$(openssl rand -base64 32)
  echo '# Keep it as safe as the database, and apart from it.'
  echo "ENCRYPTION_KEYS=$key"
)
echo "$values" >fatura.env
