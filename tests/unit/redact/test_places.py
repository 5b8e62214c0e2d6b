"""Secrets that are recognised by where they stand: what is written, and what must stay."""

from __future__ import annotations

import base64
import json
import random
import re
import string

from entire.redact import engine, redact_jsonl, redact_text
from entire.redact.rules.rule import Rule
from entire.redact.rules.table import RULES
from tests.unit.redact.every import every

PLACES: tuple[tuple[str, str], ...] = (
    # headers
    ("cookie", "Cookie: theme=dark; sessionid=«<lowernum:32>»; lang=en"),
    ("cookie", "Set-Cookie: JSESSIONID=«<HEX:32>»; Path=/; HttpOnly"),
    ("cookie", "set-cookie: connect.sid=«s%3A<alnum:32>.<alnum:43>»; Path=/; Expires=Wed, 21 Oct 2026 07:28:00 GMT"),
    ("cookie-flag", "curl -b 'PHPSESSID=«<lowernum:26>»' https://shop.example.net/"),
    ("cookie", "curl --cookie \"_shop_session=«<alnum:40>»\" https://shop.example.net/"),
    ("cookie", "requests.get(url, cookies={'sessionid': '«<lowernum:32>»', 'csrftoken': '«<alnum:64>»'})"),
    ("cookie", "< set-cookie: laravel_session=«<alnum:60>%3D»; path=/"),
    ("cookie", 'document.cookie = "auth_token=«<hex:40>»; path=/"'),
    ("cookie", '"cookie": "__Secure-next-auth.session-token=«<alnum:80>»"'),
    ("cookie", "Cookie: .AspNetCore.Cookies=«<b64url:120>»"),
    ("cookie-jar", "# Netscape HTTP Cookie File\n.example.net\tTRUE\t/\tTRUE\t1893456000\tsid\t«<alnum:32>»\n"),
    ("cookie-jar", "#HttpOnly_shop.example.net\tFALSE\t/\tTRUE\t0\tsession\t«<hex:40>»"),
    ("api-key-header", "X-Api-Key: «<alnum:32>»"),
    ("api-key-header", "curl -H 'X-Auth-Token: «<hex:32>»' https://api.example.net"),
    ("api-key-header", "PRIVATE-TOKEN: «<alnum:20>»"),
    ("api-key-header", "Ocp-Apim-Subscription-Key: «<hex:32>»"),
    ("api-key-header", "X-Hub-Signature-256: «sha256=<hex:64>»"),
    ("api-key-header", "x-functions-key: «<b64url:54>==»"),
    ("authorization-header", "Authorization: Basic «<b64:28>»"),
    ("authorization-header", "Authorization: «<hex:40>»"),
    ("authorization-header", "Authorization: Token token=\"«<hex:32>»\""),
    ("authorization-header", "'Authorization': 'Bearer «<alnum:40>»'"),
    ("authorization-header", "Proxy-Authorization: Basic «<b64:27>=»"),
    ("authorization-header", "Authorization: key=«<b64url:152>»"),
    # URLs
    ("request-signature", "https://b.s3.amazonaws.com/k?X-Amz-Date=20260101T000000Z&X-Amz-Signature=«<hex:64>»"),
    ("url-parameter", "https://b.s3.amazonaws.com/k?X-Amz-Security-Token=«<alnum:200>%3D%3D»&X-Amz-Expires=60"),
    ("request-signature", "https://storage.googleapis.com/b/o?GoogleAccessId=x&Expires=1893456000&Signature=«<alnum:"
     "80>%2B<alnum:80>%3D»"),
    ("request-signature", "AWS4-HMAC-SHA256 Credential=X/20260101/eu-west-1/s3/aws4_request, SignedHeaders=host, "
     "Signature=«<hex:64>»"),
    ("sas-signature", "https://a.blob.core.windows.net/c?sv=2024-01-01&sp=r&sig=«<alnum:20>%2B<alnum:22>%3D»"),
    ("sas-signature", "?sv=2024-01-01&sig=«<b64:43>=»"),
    ("url-parameter", "GET /callback?access_token=«<alnum:40>»&state=x HTTP/1.1"),
    ("url-parameter", "https://maps.example.net/v1?q=x&api_key=«<hex:32>»"),
    ("url-parameter", "https://api.example.net/v1?token=«<lowernum:24>»"),
    ("url-parameter", "https://api.example.net/login?user=x&password=«<password:url>»&x=1"),
    ("url-credentials", "amqp://shop:«<password:url>»@queue.example.net:5672/%2F"),
    ("url-credentials", "redis://:«<alnum:24>»@cache:6379/0"),
    ("url-credentials", "DATABASE_URL=postgresql+asyncpg://app:«<password:url>»@db/app?sslmode=require"),
    ("url-credentials", "git remote add origin https://olga:«<alnum:18>»@git.example.net/a.git"),
    ("url-credentials", "mongodb+srv://app:«<password:url>»@cluster0.ab1cd.mongodb.net/shop"),
    ("connection-string", "jdbc:sqlserver://db:1433;databaseName=shop;user=sa;password=«<password:url>»;encrypt=true"),
    ("connection-string", "jdbc:mysql://db/shop?user=app&password=«<password:url>»"),
    ("connection-string", "Driver={ODBC Driver 18 for SQL Server};Server=db;Uid=sa;Pwd=«<password:url>»;"),
    ("connection-string", 'Server=db;Database=shop;User Id=sa;Password=«<password:url>»"'),
    ("connection-string", "host=db.example.net dbname=shop user=app password=«<password:url>»"),
    ("oracle-login", "jdbc:oracle:thin:app/«<alnum:14>»@db:1521:ORCL"),
    ("otpauth-secret", "otpauth://totp/Shop:olga@example.net?secret=«<base32:32>»&issuer=Shop"),
    ("webhook-url", "https://chat.example.net/hooks/«<lowernum:26>»"),
    ("webhook-url", "https://hooks.zapier.com/hooks/catch/1234567/«<lowernum:20>»"),
    ("webhook-url", "https://maker.ifttt.com/trigger/x/with/key/«<alnum:22>»"),
    ("webhook-url", "https://qyapi.weixin.qq.com/cgi-bin/webhook/send?key=«<uuid>»"),
    # commands
    ("basic-auth-flag", "curl -s -u deploy:«<password:shell>» https://files.example.net/"),
    ("basic-auth-flag", "curl --user 'deploy:«<password:plain>»' https://files.example.net/"),
    ("basic-auth-flag", "curl -sSLu deploy:«<password:shell>» https://files.example.net/"),
    ("basic-auth-flag", "http -a olga:«<password:shell>» GET example.net/api"),
    ("command-password", "mongosh --host db -u app -p «<alnum:14>» --authenticationDatabase admin"),
    ("command-password", "mongodump --uri db -u app -p '«<password:plain>»'"),
    ("command-password", "twine upload -u olga -p «<alnum:14>» dist/*"),
    ("command-password-p", "sqlcmd -S db -U sa -P '«<password:plain>»' -Q 'select 1'"),
    ("command-password-p", "zip -r -P «<alnum:14>» out.zip dir"),
    ("command-password-p", "ssh-keygen -t ed25519 -N '«<password:plain>»' -f key"),
    ("command-password-p", "mosquitto_pub -h broker -u sensor -P «<alnum:14>» -t x -m y"),
    ("mysql-password", "mysql -h db -uapp -p«<password:shell>» shop"),
    ("mysql-password", "mysqldump -u root -p'«<password:plain>»' --all-databases > all.sql"),
    ("mysql-password", 'docker exec db mysql -uroot "-p«<password:shell>»" -e "select 1"'),
    ("generic-flag", "mysqladmin --user=root --password=«<password:shell>» ping"),
    ("generic-flag", "tool --password '«<password:plain>»' run"),
    ("generic-flag", "wget --user=x --http-password=«<password:shell>» https://example.net/a"),
    ("generic-flag", "gpg --batch --passphrase '«<password:plain>»' -d a.gpg"),
    ("generic-flag", "vault login --token=«<alnum:24>»"),
    ("generic-flag", "Connect-Thing -Password '«<password:plain>»'"),
    ("generic-flag", "az storage blob list --account-key «<b64:86>==»"),
    ("redis-password", "redis-cli -h cache -p 6379 -a «<password:shell>» ping"),
    ("redis-password", "requirepass «<alnum:24>»"),
    ("redis-password", "docker run redis redis-server --requirepass '«<password:plain>»'"),
    ("sshpass-flag", "sshpass -p '«<password:plain>»' ssh root@10.0.0.4"),
    ("login-password", "docker login -u deploy -p «<password:shell>» registry.example.net"),
    ("login-password", "helm registry login -u deploy --password '«<password:plain>»' r.example.net"),
    ("piped-secret", "echo '«<password:plain>»' | docker login -u deploy --password-stdin r.example.net"),
    ("piped-secret", 'echo "«<password:shell>»" | sudo -S apt-get update'),
    ("piped-secret", "echo 'deploy:«<password:plain>»' | sudo chpasswd"),
    ("piped-secret", "printf '«<alnum:30>»' | vercel env add API production"),
    ("piped-secret", "echo -n «<alnum:30>» | gh secret set DEPLOY"),
    ("here-string", "gh secret set DEPLOY <<< '«<alnum:30>»'"),
    ("secret-store", "gh secret set DEPLOY --repo a/b --body '«<password:plain>»'"),
    ("secret-store", "gh secret set DEPLOY -b\"«<alnum:30>»\""),
    ("secret-assignment", "fly secrets set MAILGUN=«<alnum:24>» OTHER=«<hex:32>» --app shop"),
    ("secret-assignment", "heroku config:set -a shop RAZOR=«<alnum:24>»"),
    ("secret-assignment", "kubectl create secret generic db --from-literal=pw=«<password:shell>»"),
    ("secret-assignment", "vault kv put secret/shop db=«<password:shell>»"),
    ("secret-assignment", "wrangler secret bulk X1=«<alnum:24>»"),
    ("generic-value", "heroku config:set DB_PASSWORD=«<alnum:24>»"),
    ("aws-configure", "aws configure set aws_secret_access_key «<b64:40>» --profile shop"),
    ("secret-store", "aws secretsmanager create-secret --name x --secret-string '«<password:plain>»'"),
    ("secret-store", "aws ssm put-parameter --name /x --type SecureString --value '«<password:plain>»'"),
    ("secret-store", "az keyvault secret set --vault-name kv --name db --value '«<password:plain>»'"),
    ("openssl-password", "openssl pkcs12 -export -out a.p12 -passout pass:«<password:shell>»"),
    ("openssl-password", "openssl rsa -in a.pem -passin 'pass:«<password:plain>»'"),
    ("openssl-password", "openssl enc -aes-256-cbc -k «<password:shell>» -in a -out b"),
    ("keystore-password", "keytool -importcert -storepass «<password:shell>» -alias x"),
    ("ldap-password", "ldapsearch -x -H ldap://ldap -D cn=admin,dc=x -w «<password:shell>» '(uid=x)'"),
    ("generic-value", "olcRootPW: «<password:plain>»"),
    ("ldap-bind", "bindpw «<password:plain>»"),
    ("named-login", "smbclient //files/share -U 'deploy%«<password:plain>»'"),
    ("program-password", "rabbitmqctl add_user shop '«<password:plain>»'"),
    ("program-password", "nmcli dev wifi connect office password '«<password:plain>»'"),
    ("program-password", "poetry config http-basic.mine olga «<password:shell>»"),
    ("account-command", "htpasswd -bB /etc/nginx/.htpasswd deploy '«<password:plain>»'"),
    ("account-command", "htpasswd -nbB deploy «<password:shell>»"),
    ("snmp-community", "snmpwalk -v2c -c «<alnum:12>» 10.0.0.4 system"),
    ("snmp-community", "snmp-server community «<alnum:12>» RO"),
    ("securestring", "$s = ConvertTo-SecureString '«<password:plain>»' -AsPlainText -Force"),
    ("securestring", 'ConvertTo-SecureString -String "«<password:plain>»" -AsPlainText -Force'),
    ("generic-quoted", "$env:DB_PASSWORD = '«<password:plain>»'"),
    ("named-environment", "set -gx DB_PASSWORD '«<password:plain>»'"),
    ("named-environment", "set -x API_TOKEN «<alnum:24>»"),
    ("named-environment", "setx DB_PASSWORD «<password:shell>»"),
    ("named-environment", "setenv API_SECRET «<alnum:24>»"),
    ("generic-value", "export PGPASSWORD=«<password:shell>»"),
    ("generic-value", "docker run -e MYSQL_ROOT_PASSWORD=«<password:shell>» mysql"),
    ("generic-value", "mvn deploy -Dgpg.passphrase=«<password:shell>»"),
    # files
    ("netrc-password", "machine api.example.net login olga password «<password:plain>»"),
    ("netrc-password", "machine api.example.net\n  login olga\n  password «<password:plain>»\n"),
    ("netrc-password", "  1→machine api.example.net\n  2→login olga\n  3→password «<password:plain>»\n"),
    ("pgpass", "db.example.net:5432:shop:app:«<password:plain>»"),
    ("pgpass", "*:*:*:postgres:«<password:plain>»"),
    ("generic-value", "[client]\nuser=root\npassword=«<password:plain>»\n"),
    ("apr1-hash", "deploy:$apr1$«<alnum:8>$<crypt:22>»"),
    ("bcrypt-hash", "deploy:$2y$10$«<crypt:53>»"),
    ("crypt-hash", "root:$6$«<crypt:16>$<crypt:86>»:19000:0:99999:7:::"),
    ("crypt-hash", "root:$6$«rounds=5000$<crypt:16>$<crypt:86>»:19000:0:99999:7:::"),
    ("crypt-hash", "root:$y$«j9T$<crypt:22>$<crypt:43>»:19000::::::"),
    ("crypt-hash", "enable secret 5 $1$«<crypt:4>$<crypt:22>»"),
    ("crypt-hash", "x:$5$«<crypt:16>$<crypt:43>»:1::"),
    ("argon2-hash", "$argon2id$v=19$m=65536,t=3,p=4$«<b64:22>$<b64:43>»"),
    ("ldap-hash", "userPassword: {SSHA}«<b64:38>==»"),
    ("django-hash", "pbkdf2_sha256$600000$«<alnum:22>$<b64:43>=»"),
    ("django-hash", "scrypt:32768:8:1$«<alnum:16>$<hex:128>»"),
    ("phpass-hash", "$P$«B<alnum:30>»"),
    ("scram-hash", "SCRAM-SHA-256$4096:«<b64:22>==$<b64:43>=:<b64:43>=»"),
    ("generic-value", "    client-key-data: «<b64:400>=»\n"),
    ("generic-value", "    token: «<alnum:40>»\n"),
    ("kubernetes-secret", "apiVersion: v1\nkind: Secret\nmetadata:\n  name: db\ntype: Opaque\ndata:\n  it: "
     "«<b64of:[password:any]>»\n  url: «<b64of:[password:any]>»\n"),
    ("kubernetes-secret", "apiVersion: v1\ndata:\n  it: «<b64of:[password:any]>»\nkind: Secret\nmetadata:\n  name: "
     "db\n"),
    ("kubernetes-secret", '{"apiVersion": "v1", "kind": "Secret", "data": {"it": "«<b64of:[password:any]>»"}}'),
    ("kubernetes-string", "kind: Secret\nstringData:\n  it: «<password:plain>»\n  other: \"«<password:plain>»\"\n"),
    ("named-pair", "        - name: DB_PASSWORD\n          value: «<password:plain>»\n"),
    ("named-pair", '{"name": "DB_PASSWORD", "value": "«<password:plain>»"}'),
    ("generic-value", "ENV DB_PASSWORD=«<password:shell>»"),
    ("named-environment", "ENV DB_PASSWORD «<password:shell>»"),
    ("generic-value", "ARG API_TOKEN=«<alnum:24>»"),
    ("docker-auth", '{"auths": {"https://index.docker.io/v1/": {"auth": "«<b64:32>»"}}}'),
    ("docker-auth", '{\n  "auths": {\n    "r.example.net": {\n      "auth": "«<b64:31>="»\n    }\n  }\n}'.replace('"»',
     '»"')),
    ("identified-by", "CREATE USER 'app'@'%' IDENTIFIED BY '«<password:plain>»';"),
    ("identified-by", "CREATE USER 'app'@'%' IDENTIFIED WITH mysql_native_password BY '«<password:plain>»';"),
    ("identified-by", 'ALTER USER app IDENTIFIED BY "«<password:plain>»"'),
    ("identified-by", "alter user app identified by '«<password:plain>»';"),
    ("identified-by", "alter user app identified by '«<lower:12>»';"),
    ("sql-password", "CREATE USER app WITH ENCRYPTED PASSWORD '«<password:plain>»';"),
    ("sql-password", "ALTER ROLE app PASSWORD '«<password:plain>»';"),
    ("sql-password", "SET PASSWORD FOR 'app'@'%' = PASSWORD('«<password:plain>»');"),
    ("sql-password", "SET PASSWORD FOR 'app'@'%' = '«<password:plain>»';"),
    ("generic-quoted", "CREATE LOGIN app WITH PASSWORD = '«<password:plain>»';"),
    ("named-part", 'Content-Disposition: form-data; name="password"\n\n«<password:plain>»\n--x'),
    ("named-part", 'Content-Disposition: form-data; name="api_key"\n\n«<alnum:24>»\n--x'),
    ("named-cell", "| password | «<password:plain>» |"),
    ("named-cell", "| `DB_PASSWORD` | `«<password:plain>»` | used by x |"),
    ("named-cell", "| **API token** | «<alnum:20>7x» |"),
    ("table-column-1", "| user | password | since |\n|---|---|---|\n| olga | «<password:plain>» | today |\n"),
    ("table-column-2", " password | user | since\n----------+------+-------\n «<password:plain>» | olga | today\n"),
    ("table-column", " user | password \n------+----------\n olga | «<password:plain>»\n(1 row)\n"),
    ("table-column", "| user | password |\n|---|---|\n| olga | «<password:plain>» |\n"),
    ("named-element", "<dbPassword>«<password:xml>»</dbPassword>"),
    ("named-element", "  <server><id>x</id><username>y</username><dbPassword>«<password:xml>»</dbPassword></server>"),
    ("named-element", '<string name="api_key">«<alnum:32>»</string>'),
    ("named-element", "<key>Password</key>\n  <string>«<password:xml>»</string>"),
    ("named-pair", '<add key="SmtpPassword" value="«<password:xml>»"/>'),
    ("named-pair", '<property name="hibernate.connection.password" value="«<password:xml>»"/>'),
    ("generic-quoted", '<datasource user="sa" password="«<password:xml>»"/>'),
    # code
    ("generic-quoted", 'def connect(password: str | None = "«<password:any>»") -> None:'),
    ("generic-value", "{host: db, password: «abc,<password:plain>»}"),
    ("generic-quoted", 'const DB_PASSWORD: &str = "«<password:any>»";'),
    ("generic-quoted", 'static DB_PASSWORD: &\'static str = "«<password:any>»";'),
    ("generic-quoted", 'private static final String API_SECRET = "«<password:any>»";'),
    ("generic-quoted", 'static const char db_password[] = "«<password:any>»";'),
    ("generic-quoted", 'const char *api_token = "«<alnum:24>»";'),
    ("named-argument", "#define DB_PASSWORD \"«<password:any>»\""),
    ("named-argument", "define('DB_PASSWORD', '«<password:any>»');"),
    ("generic-quoted", "$config['db_password'] = '«<password:any>»';"),
    ("generic-quoted", "'password' => '«<password:any>»',"),
    ("generic-quoted", "os.environ[\"DB_PASSWORD\"] = '«<password:any>»'"),
    ("named-argument", 'config.setPassword("«<password:any>»");'),
    ("named-argument", 'os.Setenv("DB_PASSWORD", "«<password:any>»")'),
    ("named-argument", 'props.put("db.password", "«<password:any>»");'),
    ("generic-quoted", 'let apiKey: String = "«<alnum:32>»"'),
    ("generic-quoted", 'val dbPassword: String = "«<password:any>»"'),
    ("generic-quoted", 'const dbPassword string = "«<password:any>»"'),
    ("generic-quoted", 'var password = []byte("«<password:any>»")'),
    ("generic-quoted", 'password := "«<password:any>»"'),
    ("generic-quoted", "SECRET_KEY = 'django-insecure-«<alnum:20>#(<alnum:10>^&<alnum:16>»'".replace(
     "django-insecure-«", "«django-insecure-")),
    ("generic-quoted", 'string connectionSecret = @"«<password:any>»";'),
    ("generic-value", "db.password = «<password:plain>»"),
    ("generic-value", "spring.datasource.password=«<password:plain>»"),
    ("generic-value", "ansible_password: «<password:plain>»"),
    ("generic-value", "ansible_become_pass=«<password:plain>»"),
    ("generic-quoted", 'variable "x" { db_password = "«<password:any>»" }'),
    ("app-key", "APP_KEY=base64:«<b64:43>=»"),
    ("generic-value", "  secret_key_base: «<hex:128>»"),
    ("generic-value", "RAILS_MASTER_KEY=«<hex:32>»"),
    ("wordpress-salt", "define('AUTH_KEY',         '«<alnum:20> }{|<alnum:20>[&~<alnum:20>»');"),
    ("generic-value", "JWT_SECRET=«<b64:43>=»"),
    ("license-key", "license key: «<uppernum:5>-<uppernum:5>-<uppernum:5>-<uppernum:5>-<uppernum:5>»"),
    ("license-key", "LICENSE_KEY=«<uppernum:4>-<uppernum:4>-<uppernum:4>-<uppernum:4>»"),
    ("generic-value", "ENCRYPTION_KEY=«<hex:64>»"),
    ("generic-value", "PASSWORD_SALT=«<hex:32>»"),
    ("generic-quoted", "pepper = '«<alnum:32>»'"),
    ("generic-value", "TOTP secret: «<base32:32>»"),
    ("recovery-code", "Recovery codes:\n  «<hex:5>-<hex:5>»\n  «<hex:5>-<hex:5>»\n"),
    ("vpn-key", 'network={\n  ssid="x"\n  psk="«<password:plain>»"\n}'),
    ("vpn-key", "PrivateKey = «<b64:43>=»"),
    ("wifi-code", "WIFI:T:WPA;S:office;P:«<alnum:16>»;;"),
    # sentences
    ("named-sentence", "the password is «<password:plain>»"),
    ("named-sentence", "The password for the staging database is \"«<password:plain>»\", ok?"),
    ("named-sentence", "my api key is «<alnum:32>»."),
    ("named-sentence", "the admin password was `«<password:plain>»` before"),
    ("generic-value", "password: «<password:plain>»"),
    # arguments
    ("mysql-password", "mysql -u app -p\"«<password:shell>»\" shop"),
    ("login-arguments", 'server.login("olga@example.net", "«<password:any>»")'),
    ("login-arguments", 'smtplib.SMTP(host).login(user, "«<password:any>»")'),
    ("login-arguments", 'DriverManager.getConnection(url, "olga", "«<password:any>»")'),
    ("login-arguments", 'conn.simple_bind_s("cn=admin,dc=example", "«<password:any>»")'),
    ("login-arguments", "client.username_pw_set('olga', '«<password:any>»')"),
    ("login-arguments", 'WiFi.begin("office", "«<password:any>»");'),
    ("login-arguments", 'my $db = DBI->connect("dbi:mysql:shop", "olga", "«<password:any>»");'),
    ("basic-auth-flag", "curl -u olga:'«<password:xml>»' https://files.example.net/"),
    ("go-login", 'sqlx.Connect("mysql", "olga:«<password:any>»@tcp(db.example.net:3306)/shop")'),
    ("relay-login", "[smtp.example.net]:587 olga@example.net:«<password:any>»"),
    ("key-argument", 'crypto.createHmac("sha256", "«<password:any>»")'),
    ("key-argument", "jwt.sign({ sub: user.id }, '«<password:any>»', { expiresIn: '1h' })"),
    ("key-argument", 'jwt.encode(payload, "«<password:any>»", algorithm="HS256")'),
    ("key-argument", "jwt.verify(token, '«<hex:32>»')"),
    ("key-argument", "CryptoJS.AES.encrypt(text, '«<password:any>»')"),
    ("key-argument", 'Fernet(b"«<b64url:43>=»")'),
    ("key-argument", "AES.new(b'«<alnum:16>»', AES.MODE_CBC)"),
    ("key-argument", "app.use(cookieParser('«<password:any>»'))"),
    ("key-argument", 'bcrypt.hash("«<password:any>»", 10)'),
    ("program-password", 'dotnet user-secrets set "Db:Password" "«<password:any>»"'),
    ("program-password", "chamber write shop db_password «<password:shell>»"),
    ("program-password", "mosquitto_passwd -b passwords olga «<password:shell>»"),
    ("program-password", "rclone obscure «<password:shell>»"),
    ("program-password", "rclone config create it webdav user olga pass «<password:shell>»"),
    ("program-password", "pulumi config set --secret dbPassword «<password:shell>»"),
    ("program-password", 'npm config set //npm.example.net/:_password "«<password:any>»"'),
    ("openssl-password", "openssl passwd -6 «<password:shell>»"),
    ("openssl-password", "openssl passwd -apr1 -salt xy '«<password:any>»'"),
    ("sql-crypt", "UPDATE users SET hash = crypt('«<password:any>»', gen_salt('bf'));"),
    # what tests of web pages type
    ("typed-value", "cy.get('#password').type('«<password:any>»')"),
    ("typed-value", 'await page.getByLabel("Password").fill("«<password:any>»")'),
    ("typed-value", "fill_in 'Password', with: '«<password:any>»'"),
    ("typed-value", "await page.type('input[name=password]', '«<password:any>»')"),
    ("typed-value", 'driver.find_element(By.ID, "password").send_keys("«<password:any>»")'),
    # names and values
    ("generic-quoted", 'os.environ.get("DB_PASSWORD") or "«<password:plain>»"'),
    ("generic-quoted", 'getenv("DB_PASSWORD") || "«<password:plain>»"'),
    ("generic-quoted", "- **Password:** `«<password:plain>»`"),
    ("generic-value", "**Admin password**: «<password:plain>»"),
    ("generic-quoted", 'password: !unsafe "«<password:plain>»"'),
    ("generic-quoted", 'db_password <- "«<password:plain>»"'),
    ("named-pass", 'char pass[] = "«<password:plain>»";'),
    ("named-pass", "pw: «<password:plain>»"),
    ("listed-flag", "args:\n  - --password\n  - «<password:plain>»\n"),
    ("named-element", '<setting name="Password" serializeAs="String"><value>«<password:xml>»</value></setting>'),
    ("named-element", "<AdministratorPassword><Value>«<password:xml>»</Value></AdministratorPassword>"),
    ("named-element", "<tr><td>Password</td><td><code>«<password:xml>»</code></td></tr>"),
    ("named-sentence", "it asks for the password, which is «<password:plain>»"),
    ("named-sentence", "the database password has been changed to «<password:plain>»"),
    # keys of providers, as programs write them into their environment
    ("algolia-key", 'os.environ["ALGOLIA_ADMIN_KEY"] = "«<hex:32>»"'),
    ("postmark-token", "ENV['POSTMARK_SERVER_TOKEN'] = '«<uuid>»'"),
    ("backblaze-key", 'os.environ["B2_APPLICATION_KEY"] = "K005«<alnum:27>»"'),
    ("algolia-key", "set -gx ALGOLIA_ADMIN_KEY «<hex:32>»"),
    ("kaggle-key", "ENV KAGGLE_KEY «<hex:32>»"),
    ("named-use", "use «<password:plain>» as the password"),
    ("named-use", "log in with `«<password:plain>»` as the admin password please"),
    ("named-abroad", "das Passwort ist «<password:plain>»"),
    ("named-abroad", "das Kennwort lautet: «<password:plain>»"),
    ("named-abroad", "le mot de passe est «<password:plain>»"),
    ("named-abroad", "la contraseña es «<password:plain>»"),
    ("named-abroad", "a senha é «<password:plain>»"),
    ("named-abroad", "| senha | «<password:plain>» |"),
    ("named-abroad", "пароль: «<password:plain>»"),
    ("named-abroad", "密码是 «<password:plain>»"),
    ("named-abroad", "パスワードは«<password:plain>»です"),
)  # fmt: skip

STAYS: tuple[str, ...] = (
    "computeSignature('', 'shop_secret') => 'f7f9bd47fb987337b5796fdc1fdb9ba221d0d5396814bfcaf9521f43fd8927fd'",
    "['openssl', 'pkey', '-out', 'key.passwd.pem', '-aes256']",
    "Request('http', 'olga', 'password', 'localhost:22')",
    "jwt.verify(token, 'your-256-bit-secret')",
    "jwt.sign(payload, process.env.JWT_SECRET2)",
    "createHmac('sha256', secret2).update(body2)",
    "bcrypt.hash('password', 10)",
    "user:password@tcp(localhost:3306)/shop",
    'conn = getConnection(url, "root", "")',
    'page.login("/users/sign_in2", "/users/sign_out2")',
    'page.fill("#password", user.password2)',
    'cy.get("#password").type(password2)',
    'cy.get("#password").should("have.value", "")',
    'os.environ.get("DB_PASSWORD") or settings.password2',
    'os.environ.get("PASSWORD_FILE") or "/run/secrets/db2"',
    "- **Password:** the one of your account",
    "usage:\n  --password\n    the password of the user2\n",
    "openssl passwd -6",
    "relay smtp.example.net:587 is up:now",
    "<tr><td>Password</td><td>8 to 64 characters</td></tr>",
    "pw: string2,",
    'cmd.Env = append(cmd.Env, "PWD="+cmd.Dir)',
    "docker swarm join --token manager-join-token 127.0.0.1:2377",
    "ICMPV6_FILTER_PASS = C.ICMPV6_FILTER_PASS",
    "isinstance(key, (ed25519.Ed25519PrivateKey, ed25519.Ed25519PublicKey))",
    "query='keyPair.PrivateKey', after_call_event=after_event, perm=0o600)",
    "| password | since |\n|---|---|\n| token.v2 | today |\n",
    '"StartingHashKey": "226854911280625642308916404954512140970",',
    "![coverage](https://codecov.io/gh/orchard/shop/badge.svg?token=M57KX5Vysw)",
    "$ cloud secrets create my\\-secret \\-\\-data\\-file=/tmp/secret",
    "$ cloud auth print\\-identity\\-token \\-\\-token\\-format=full",
    "Cookie: theme=dark; lang=en",
    "response.set_cookie(session_name, value)",
    "X-Request-Id: 3f2b8c1e-8a52-4a0e-9c0b-1c2d3e4f5a6b",
    "Authorization: Bearer $TOKEN",
    "Authorization: Bearer <token>",
    "GET /items?page=2&token_type=bearer HTTP/1.1",
    "https://user:pass@example.com/",
    "https://user:password@proxy.example.com:8080",
    "postgres://app:${DB_PASSWORD}@db/app",
    "postgresql://user:{password}@host/db",
    "jdbc:postgresql://db/app?user=app&password=${DB_PASSWORD}",
    "curl -u $USER:$PASSWORD https://example.com",
    "curl -u user:password https://example.com",
    "mysql -u root -p shop",
    "mysql -uroot -p$MYSQL_PASSWORD shop",
    "docker run --name mysql -p 3306:3306 mysql",
    "docker login -u deploy --password-stdin registry.example.net",
    "ssh login.example.net -p 2222",
    "redis-cli -p 6379 ping",
    "mongosh --port 27017 -u app -p",
    "tool --password <password> run",
    "tool --password-file /run/secrets/db2",
    "tool --token-count 5000",
    "docker build --secret id=npm1,src=$HOME/.npmrc .",
    'gh secret set DEPLOY --body "$DEPLOY"',
    "openssl rsa -passin env:PW2 -in a.pem",
    "openssl s_client -connect example.com:443",
    "echo hello | sudo tee /etc/x1",
    "ENV APP_ENV production1",
    "ENV DB_PASSWORD $DB_PASSWORD",
    "machine learning models with password fields",
    "CREATE USER app IDENTIFIED BY '<password>';",
    "CREATE USER app IDENTIFIED BY 'password';",
    "ALTER ROLE app PASSWORD NULL;",
    "snmpwalk -v2c -c public 10.0.0.4",
    "data:\n  it: aGVsbG8gd29ybGQ=\nkind: ConfigMap\n",
    "| password | your password |",
    "| `--password` | the password to use |",
    "| name | password |\n|---|---|\n| a | the one you chose |\n",
    "<password>${db.password}</password>",
    "<password></password>",
    '<input type="password" name="password" placeholder="Password"/>',
    'String password = getPassword("db2");',
    'parser.add_argument("--password", help="the password")',
    'password = getpass("Password for db2: ")',
    "config.setPassword(user.password2)",
    'os.environ["DB_PASSWORD"] = settings.db_password',
    "const token = process.env.TOKEN2;",
    "password: str | None = None",
    "token: Token2 = Token2(name)",
    "the password is required",
    "the password is stored in a file",
    "the token is 40 bytes long",
    "the password for the staging database is in 1Password",
    "use the value as the password",
    "das Passwort ist falsch",
    "License: GPL-2.0-or-later",
    "seed=1234567890",
    "recovery from backup codes is slow",
    "psk = hmac(key, ssid)",
    "PasswordAuthentication no",
    "uuid ::: a separator",
    "$1 $2 $6 are the arguments",
    "password=[REDACTED:generic-value]",
)
WORDS = ("c0pper", "f4lcon", "gr4nite", "m34dow", "w4lnut", "jun1per")
CLASSES = {
    "alnum": string.ascii_letters + string.digits,
    "b64": string.ascii_letters + string.digits + "+/",
    "b64url": string.ascii_letters + string.digits + "-_",
    "base32": string.ascii_uppercase + "234567",
    "crypt": "./" + string.ascii_letters + string.digits,
    "digits": string.digits,
    "hex": "0123456789abcdef",
    "HEX": "0123456789ABCDEF",
    "lower": string.ascii_lowercase,
    "lowernum": string.ascii_lowercase + string.digits,
    "uppernum": string.ascii_uppercase + string.digits,
}
SYMBOLS = {"any": "!#$%&*+-=?@^_~", "shell": "@%+=^_.:-", "url": "-_.~", "plain": "!#%*+=?^_~-", "xml": "!#$%*+-=?@^_~"}


def made(template: str, seed: int) -> tuple[str, list[str]]:
    """Expand a template: the text, and the secrets in it."""
    source = random.Random(f"{template}{seed}")

    def letters(name: str, size: int) -> str:
        return "".join(source.choices(CLASSES[name], k=size))

    def password(symbols: str) -> str:
        if seed % 2:
            return f"{letters('alnum', 6)}{source.choice(symbols)}7x{source.choice(symbols)}{letters('alnum', 4)}9"
        return (
            f"{source.choice(WORDS).title()}{source.choice(symbols)}{source.choice(WORDS)}{source.randrange(10, 999)}"
        )

    def fill(place: re.Match[str]) -> str:
        name, argument = place.groups()
        if name == "password":
            return password(SYMBOLS[argument])
        if name == "b64of":
            return base64.b64encode(password(SYMBOLS["any"]).encode()).decode()
        if name == "uuid":
            return "-".join(letters("hex", size) for size in (8, 4, 4, 4, 12))
        return letters(name, int(argument))

    marked = re.sub(r"<(\w+):([\w\[\]:]+)>", fill, template.replace("<uuid>", "<uuid:1>"))
    return re.sub("[«»]", "", marked), re.findall("«([^»]*)»", marked)


@every("seed", range(2))
@every("template", sorted({template for _, template in PLACES}))
def test_a_secret_goes_from_its_place(template: str, seed: int) -> None:
    text, secrets = made(template, seed)
    assert secrets
    redacted = redact_text(f"before\n{text}\nafter")
    assert not [secret for secret in secrets if secret in redacted]
    assert redacted.startswith("before\n") and redacted.endswith("\nafter") and "[REDACTED:" in redacted
    assert redact_text(redacted) == redacted
    line = json.dumps({"message": {"content": json.dumps({"stdout": f"before\n{text}\nafter"})}}) + "\n"
    inner = json.loads(json.loads(redact_jsonl(line.encode()))["message"]["content"])["stdout"]
    assert not [secret for secret in secrets if secret in inner]


@every(("rule", "template"), PLACES)
def test_a_place_is_found_by_its_rule(rule: str, template: str) -> None:
    text, _ = made(template, 1)
    assert rule in {finding.rule for finding in engine.scan(text.encode())}


@every("rule", [rule for rule in RULES if rule.rank])
def test_the_example_of_a_place_goes(rule: Rule) -> None:
    text, secrets = made(rule.example, 1)
    assert secrets and not [secret for secret in secrets if secret in redact_text(text)]


@every("text", STAYS)
def test_what_only_looks_like_a_place_stays(text: str) -> None:
    assert redact_text(text) == text
    line = json.dumps({"text": text}).encode() + b"\n"
    assert redact_jsonl(line) == line
