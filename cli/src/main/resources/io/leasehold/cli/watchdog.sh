# SPDX-License-Identifier: Apache-2.0
#
# Stops a command when the process that watches over it has died.
#
# arguments: $1 the seconds between TERM and KILL
# input:     a line with the process to stop, or with the negative number of its group; later a line
#            that says that nothing is to be stopped. The end of the input instead of that line is
#            the death of the process that started this script: it alone has the other end.
trap '' HUP INT QUIT TERM USR1 USR2 ALRM TSTP TTIN TTOU
read -r target || exit 0
read -r finished && exit 0
# a moment after its start the command may not have made its group yet
kill -s TERM -- "$target" || kill -s TERM -- "${target#-}"
kill -s CONT -- "$target"
left=$1
while [ "$left" -gt 0 ] && kill -s 0 -- "$target"; do
    sleep 1
    left=$((left - 1))
done
kill -s KILL -- "$target"
