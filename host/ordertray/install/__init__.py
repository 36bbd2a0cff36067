"""Installing the service on a machine with systemd (Raspberry Pi OS bookworm or trixie, Debian): see README.md.

`plan_install` and `plan_uninstall` are pure and give steps; `perform` carries steps out; `cli.register` adds the two
commands to the command line; `notify` talks to systemd at run time.
"""
